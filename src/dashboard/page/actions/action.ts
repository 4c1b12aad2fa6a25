import { signal } from '@preact/signals';
import type { z } from 'zod';
import type { ActionName, DASHBOARD_ENDPOINTS } from '../../schema/endpoints.ts';

type Endpoints = typeof DASHBOARD_ENDPOINTS;

/** Body of an action without its key and its dry-run flag. */
type Asked<Name extends keyof Endpoints> = Endpoints[Name] extends {
  readonly body: infer Body extends z.ZodType;
}
  ? Omit<z.input<Body>, 'key' | 'dryRun'>
  : never;

type SameName = Exclude<ActionName, 'placeOrder'>;

/** Bodies of the actions that a person may request, by the name of their endpoint. */
type ActionBodies = { readonly [Name in SameName]: Asked<Name> } & { readonly order: Asked<'placeOrder'> };

/** Action with everything that it needs. */
export type PageAction = {
  [Kind in keyof ActionBodies]: { readonly kind: Kind; readonly body: ActionBodies[Kind] };
}[keyof ActionBodies];

/** State of an open dialog: a complete action, or one whose fields must be filled in first. */
export type OpenDialog =
  | { readonly asks: 'nothing'; readonly action: PageAction; readonly about: string | null }
  | { readonly asks: 'pause'; readonly strategy: string }
  | { readonly asks: 'lock'; readonly market: string | null; readonly strategy: string | null }
  | { readonly asks: 'note'; readonly entry: string; readonly text: string; readonly tags: readonly string[] }
  | { readonly asks: 'order'; readonly market: string | null }
  /** `known`: indicators that the server has, with their usual lengths. */
  | { readonly asks: 'indicators'; readonly known: Readonly<Record<string, number>> }
  | { readonly asks: 'position'; readonly strategy: string; readonly market: string };

export const openDialog = signal<OpenDialog | null>(null);

/** Opens the dialog of an action. `about`: its subject, such as a market. */
export function askFor(action: PageAction, about: string | null = null): void {
  openDialog.value = { asks: 'nothing', action, about };
}

/** Returns a new key for a dialog: all that is sent with one key is done once. */
export function newKey(): string {
  // `crypto.randomUUID` is missing on a page that is served without TLS in a home network.
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `page-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
