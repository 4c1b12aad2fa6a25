import type { Stretch } from '../data/stretch.ts';
import type { Params } from '../space/params-of-point.ts';
import type { StressTask } from '../stress/stress-task.ts';
import type { AccountTask } from './account-run.ts';

/** What a thread is asked for. `stretch` null: that of the study. */
export type BenchTask =
  | { readonly kind: 'trial'; readonly params: Params; readonly stretch: Stretch | null }
  | (AccountTask & { readonly kind: 'account' })
  | { readonly kind: 'stress'; readonly task: StressTask };
