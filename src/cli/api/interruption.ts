/** Whoever ends a call that is under way. */
export interface Interruption {
  readonly signal: AbortSignal;
  /** From now on the first SIGINT or SIGTERM asks for the end, and the second leaves at once. Before, while nothing is sent, they leave at once. */
  readonly arm: () => void;
  readonly release: () => void;
}

/** What was sent already may have taken effect, so a call that is ended is told so before the process ends. */
export function interruption(): Interruption {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  return {
    signal: controller.signal,
    arm: () => process.on('SIGINT', onSignal).on('SIGTERM', onSignal),
    release: () => process.off('SIGINT', onSignal).off('SIGTERM', onSignal),
  };
}
