import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The strategies that come with the package: beside the sources, or built beside the program. */
export function ownStrategies(): string {
  return (
    ['../../strategies', '../strategies']
      .map((place) => fileURLToPath(new URL(place, import.meta.url)))
      .find((place) => existsSync(place)) ?? 'strategies'
  );
}
