/** Requests to the daemon: one form of errors, the token, and the question for it. */
import { signal } from "./signal";
import type { Confirmation } from "../api/types";

/** The daemon's answer to a request that it refused, or that it never got (`status` 0). */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code: string,
    readonly requestId: string | null,
    /** When to ask again (ms), where that helps; null where asking again changes nothing. */
    readonly waitMs: number | null = null,
  ) {
    super(message);
  }
}

/** A change that waits for the user's consent: what the daemon says it does, and what it consists of. */
export interface Consent {
  readonly says: string;
  readonly shows: Readonly<Record<string, unknown>>;
  readonly answer: (isAllowed: boolean) => void;
}

export const consent = signal<Consent | null>(null);
/** The daemon refuses with this what runs programs or changes who is trusted, until the user has consented. */
const NEEDS_CONSENT = "confirmation_needed";
const CONFIRMATION = "x-signet-confirmation";

/** Where a one-time link is exchanged: there is no token yet, and none to ask for. */
export const EXCHANGE = "/api/auth/exchange";

const TOKEN = "signet.token";
let token = kept();

/** Set while the page waits for a token: call it with what was typed. */
export const wanting = signal<((typed: string) => void) | null>(null);
/** Whether there was a token that holds no more. */
export const hasEnded = () => token !== null;
let waiting: Promise<void> | null = null;

/** Tabs of this browser have one login: a new one asks the others for it. It is written nowhere. */
const tabs = new BroadcastChannel("signet");
tabs.onmessage = ({ data }: MessageEvent<string | null>) => {
  if (data === null) {
    if (token) tabs.postMessage(token);
  } else if (!token) useToken(data);
};

/** Wait a moment (ms) for the login of another tab. */
const LENT_MS = 50;
export async function borrow(): Promise<void> {
  if (token) return;
  tabs.postMessage(null);
  await new Promise((done) => setTimeout(done, LENT_MS));
}

function kept(): string | null {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null;
  }
}

/** Use a token from now on, in this tab only. */
export function useToken(typed: string): void {
  token = typed;
  try {
    sessionStorage.setItem(TOKEN, typed);
  } catch {
    // It lives as long as the page.
  }
}

function aToken(): Promise<void> {
  waiting ??= new Promise((resolve) => {
    wanting.value = (typed) => {
      useToken(typed);
      wanting.value = null;
      waiting = null;
      resolve();
    };
  });
  return waiting;
}

export interface Asked {
  body?: unknown;
  /** What the user is shown of a change that needs consent, instead of the body. */
  shows?: Readonly<Record<string, unknown>> | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

/** Ask the user whether a change may happen, and return the headers that prove the consent to the daemon. */
async function consented(method: string, path: string, body: string | null, says: string, shows: Consent["shows"]): Promise<Record<string, string>> {
  const isAllowed = await new Promise((answer) => (consent.value = { says, shows, answer }));
  consent.value = null;
  if (!isAllowed) throw new Refused(403, "Nothing was changed.", "declined", null);
  const { code } = await ask<Confirmation>("POST", "/api/auth/confirm", { body: { method, path, body } });
  return { [CONFIRMATION]: code };
}

/** Send a request and return the response when it is one of success; a 401 asks for the token and tries again. */
export async function send(method: string, path: string, asked: Asked = {}): Promise<Response> {
  const shown = token;
  const body = asked.body === undefined ? null : JSON.stringify(asked.body);
  const headers: Record<string, string> = { "x-signet-actor": "dashboard", "x-signet-actor-type": "operator", ...asked.headers };
  if (shown) headers.authorization = `Bearer ${shown}`;
  if (body !== null) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body,
      signal: asked.signal ?? null,
      credentials: "omit",
    });
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    throw new Refused(0, "The daemon does not answer. Is it running? signet status", "offline", null, RETRY_MS);
  }
  if (response.status === 401 && path !== EXCHANGE) {
    if (shown === token) await aToken();
    return send(method, path, asked);
  }
  if (response.ok) return response;
  const refused = await refusal(response);
  if (refused.code !== NEEDS_CONSENT || consent.value || asked.headers?.[CONFIRMATION]) throw refused;
  const proof = await consented(method, path, body, refused.message, asked.shows ?? (asked.body as Consent["shows"]));
  return send(method, path, { ...asked, headers: proof });
}

/** Send a request and return the JSON of its answer. */
export async function ask<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
  return (await (await send(method, path, asked)).json()) as T;
}

/** The daemon has too much to do, or is not there: it says itself when to come again, else after this time (ms). */
const RETRY_MS = 2_000;
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

async function refusal(response: Response): Promise<Refused> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const said = typeof body.error === "string" ? body.error : `HTTP ${response.status}`;
  const code = typeof body.code === "string" ? body.code : "";
  const wait = BUSY.has(response.status) ? 1_000 * Number(response.headers.get("retry-after")) || RETRY_MS : null;
  return new Refused(response.status, said, code, response.headers.get("x-signet-request-id"), wait);
}

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Return a path with a query; what is undefined, null or empty is left out. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given as [string, string][])}` : path;
}
