import { numberFormat } from './format-number.ts';
import type { Language } from './locale.ts';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** A length of time by its two largest units: `3d 4h`, `۳ روز و ۴ ساعت`. Below a second it is 0 seconds. */
export function formatLength(language: Language, lengthMs: number): string {
  if (!Number.isFinite(lengthMs)) return '–';
  let left = Math.max(0, Math.round(lengthMs / 1_000));
  const first = Math.max(
    0,
    UNITS.findIndex(([, size]) => left >= size),
  );
  const from = left === 0 ? UNITS.length - 1 : first;
  const parts = UNITS.slice(from, from + 2).flatMap(([unit, size], index) => {
    const whole = Math.floor(left / size);
    left -= whole * size;
    if (whole === 0 && index > 0) return [];
    const unitDisplay = language === 'fa' ? 'long' : 'narrow';
    return [numberFormat(language, { style: 'unit', unit, unitDisplay }).format(whole)];
  });
  return parts.join(language === 'fa' ? ' و ' : ' ');
}
