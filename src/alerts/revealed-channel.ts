import { Secret } from '../configuration/secret.ts';
import type { AlertSettings } from '../daemon/alert-settings.ts';

type Revealed<Value> = Value extends Secret
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Revealed<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Revealed<Value[Key]> }
      : Value;

/** A channel's settings with its secrets as texts: what a thread can be given, and nobody else. */
export type RevealedChannel = Revealed<AlertSettings['channels'][number]>;

function reveal(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (Array.isArray(value)) return value.map(reveal);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, reveal(one)]));
}

/** Takes the secrets of channels out of their wraps. */
export function revealChannels(channels: AlertSettings['channels']): readonly RevealedChannel[] {
  return channels.map((channel) => reveal(channel) as RevealedChannel);
}
