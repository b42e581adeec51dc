/** Values that the page shows. Setting one draws the page anew, once for all that are set together. */

export interface Signal<T> {
  value: T;
}

let draw = (): void => undefined;
let isDue = false;

/** Draw the page by this, now and after each change. */
export function drawBy(drawing: () => void): void {
  draw = drawing;
  draw();
}

/** Return a value that draws the page when it is set to another one. */
export function signal<T>(first: T): Signal<T> {
  let now = first;
  return {
    get value() {
      return now;
    },
    set value(next) {
      if (next === now) return;
      now = next;
      if (isDue) return;
      isDue = true;
      queueMicrotask(() => {
        isDue = false;
        draw();
      });
    },
  };
}
