/** Progress of a manual command. */
export interface ByHandState {
  /** Orders that it waits for, and those that it has seen at their end. */
  readonly left: number;
  readonly closed: number;
  /** Result of the command; null while it is at work. */
  readonly end: {
    readonly ok: boolean;
    readonly message: string;
    /** Client order ids of what it has placed. */
    readonly placed?: readonly string[];
  } | null;
}

export function ended(ok: boolean, message: string): ByHandState {
  return { left: 0, closed: 0, end: { ok, message } };
}
