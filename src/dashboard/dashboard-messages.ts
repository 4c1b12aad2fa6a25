import type { DashboardServerOptions } from './server/dashboard-server.ts';

/** Settings for the thread of the page. */
export type DashboardSettings = Omit<DashboardServerOptions, 'onError' | 'nowMs'> & {
  /** True if a one-time link is requested, for a person at the terminal. */
  readonly wantsLink: boolean;
};

/** Message of the page to its run. */
export type DashboardMessage =
  | {
      readonly kind: 'listening';
      readonly address: string;
      /** Path of the first token; null if it was removed. */
      readonly tokenFile: string | null;
      /** Signs in once; null where none was wanted. */
      readonly link: string | null;
    }
  /** It can not listen: the port is another's, or a file can not be read. */
  | { readonly kind: 'failed'; readonly message: string; readonly isPortTaken: boolean }
  | { readonly kind: 'trouble'; readonly message: string };
