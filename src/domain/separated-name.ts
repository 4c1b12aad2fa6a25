/** A name such as `plannedAt` with a mark before each word, as SQL and options have it: `planned_at`. */
export function separatedName(name: string, mark: '-' | '_'): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `${mark}${letter.toLowerCase()}`);
}
