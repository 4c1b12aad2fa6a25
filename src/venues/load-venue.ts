import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { importFrom } from '../plugins/load-strategy.ts';
import type { VenuePlace } from './client-credentials.ts';
import { SarrafError, invalidOptions, messageOf } from '../domain/errors.ts';
import { isObject } from '../domain/stored-json.ts';
import type { VenueDefinition } from './venue-definition.ts';
import type { VenueWire } from './venue-wire.ts';

/** Venues that come with sarraf, each loaded when it is used. The fuzzer tests `service` without a wire. */
const OWN: Readonly<Record<string, () => Promise<VenuePackage>>> = {
  service: async () => ({ definition: (await import('./service-venue.ts')).SERVICE, wire: null }),
  'binance-spot': async () => ({
    definition: (await import('./binance-spot.ts')).BINANCE_SPOT,
    wire: (await import('./binance-wire.ts')).BINANCE_WIRE,
  }),
};

const isPath = (name: string): boolean => /^(?:\.{1,2})?[/\\]|^[A-Za-z]:/.test(name);

/**
 * Returns the venue of a configuration: one that comes with sarraf, the default export of a file, or of a
 * package that is installed for the configuration's folder.
 * @throws SarrafError `INVALID_OPTIONS` for a name without a venue, and a venue that cannot be used.
 */
export async function loadVenue(place: VenuePlace): Promise<VenueDefinition> {
  return (await loadVenuePackage(place)).definition;
}

/** A venue with its wire for tests; null if it has none. */
export interface VenuePackage {
  readonly definition: VenueDefinition;
  readonly wire: VenueWire | null;
}

/** Returns a venue with its wire for tests. Throws as `loadVenue` does. */
export async function loadVenuePackage(place: VenuePlace): Promise<VenuePackage> {
  const { name, folder } = place;
  const own = Object.hasOwn(OWN, name) ? OWN[name] : undefined;
  if (own !== undefined) return own();
  const specifier = isPath(name) ? pathToFileURL(resolve(folder, name)).href : name;
  const loaded = await importFrom(specifier, pathToFileURL(`${folder}/`).href).catch((error: unknown) => {
    throw unusable(place, error);
  });
  const { default: definition, wire = null } = loaded as {
    readonly default?: unknown;
    readonly wire?: VenueWire;
  };
  if (!isDefinition(definition))
    throw wrong(place, 'expected a default export made by defineVenue of sarraf/venue, found another value');
  if (Object.hasOwn(OWN, definition.name))
    throw wrong(place, `expected a name of its own, found ${definition.name}, which comes with sarraf`);
  return { definition, wire };
}

/** Returns the message for a venue that cannot be tested. */
export const withoutWire = (name: string): string =>
  `${name}: expected an export named wire, the exchange's side of the interface, was none: docs/venues.md shows one`;

function isDefinition(value: unknown): value is VenueDefinition {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    ['profileFor', 'budgetsFor', 'connect'].every((part) => typeof value[part] === 'function')
  );
}

function unusable(place: VenuePlace, error: unknown): SarrafError {
  const { name } = place;
  // A definition that is wrong says so in its own words.
  if (error instanceof SarrafError) return wrong(place, error.message);
  const { code } = error as NodeJS.ErrnoException;
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' && messageOf(error).includes(name.replace(/^\.\//, ''));
  if (!isMissing) return wrong(place, `the file ends with ${messageOf(error)}`, error);
  const known = Object.keys(OWN).join(', ');
  return wrong(
    place,
    `expected ${known}, the path of a file such as ./my-venue.ts, or an installed package, found none of this name`,
    error,
  );
}

const wrong = ({ name, setting = 'exchange.venue' }: VenuePlace, why: string, cause?: unknown): SarrafError =>
  invalidOptions(`${setting} ${JSON.stringify(name)}: ${why}`, cause === undefined ? {} : { cause });
