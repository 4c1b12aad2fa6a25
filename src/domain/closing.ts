/** Lets `using` close a resource, if there is one, at the end of its block. */
export function closing<Resource extends { close(): void } | null>(
  resource: Resource,
): Resource & (Disposable | null) {
  const disposal = { [Symbol.dispose]: () => resource?.close() };
  return (resource === null ? null : Object.assign(resource, disposal)) as Resource & (Disposable | null);
}

/** Lets `await using` close a resource at the end of its block. */
export function closingAsync<Resource extends { close(): Promise<void> }>(
  resource: Resource,
): Resource & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: async () => resource.close() });
}

/** Lets `using` give a value back at the end of its block, such as a file's number to `closeSync`. */
export function disposable<Value>(value: Value, giveBack: (value: Value) => void) {
  return { value, [Symbol.dispose]: () => giveBack(value) };
}
