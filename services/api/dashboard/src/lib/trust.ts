/** The one policy of Trusted Types: addresses of our own workers. */

interface Policy { createScriptURL(address: string): unknown }
interface Factory { createPolicy(name: string, rules: { createScriptURL: (address: string) => string }): Policy }

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
const policy = factory?.createPolicy("signet", {
  createScriptURL: (address) => {
    if (!/^\/assets\/chunk-[\w-]+\.js$/.test(address)) throw new TypeError(`Not a worker of ours: ${address}`);
    return address;
  },
});

/** Start one of our own workers. */
export function worker(address: string): Worker {
  return new Worker((policy?.createScriptURL(address) ?? address) as string, { type: "module" });
}
