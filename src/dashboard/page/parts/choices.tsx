import type { Signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** A few choices, of which exactly one holds. */
export function Choices<Choice extends string>({
  label,
  choices,
  chosen,
  shown,
}: {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: Signal<Choice>;
  readonly shown: (choice: Choice) => ComponentChildren;
}) {
  return (
    <span class="choices" role="group" aria-label={label}>
      {choices.map((each) => (
        <button
          type="button"
          key={each}
          aria-pressed={each === chosen.value}
          onClick={() => (chosen.value = each)}
        >
          {shown(each)}
        </button>
      ))}
    </span>
  );
}
