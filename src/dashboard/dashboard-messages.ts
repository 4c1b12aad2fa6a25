import type { DashboardServerOptions } from './server/dashboard-server.ts';

/** What the thread of the page is given. */
export type DashboardSettings = Omit<DashboardServerOptions, 'onError' | 'nowMs'> & {
  /** Whether a one-time link is wanted, for somebody who sits at the terminal. */
  readonly wantsLink: boolean;
};

/** What it says to its run. */
export type DashboardMessage =
  | {
      readonly kind: 'listening';
      readonly address: string;
      /** Where the first token is; null where that was taken away. */
      readonly tokenFile: string | null;
      /** Signs in once; null where none was wanted. */
      readonly link: string | null;
    }
  /** It can not listen: the port is another's, or a file can not be read. */
  | { readonly kind: 'failed'; readonly message: string; readonly isPortTaken: boolean }
  | { readonly kind: 'trouble'; readonly message: string };
