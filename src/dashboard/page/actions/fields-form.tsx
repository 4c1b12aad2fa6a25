import { Button } from '../parts/words.tsx';
import type { ComponentChildren } from 'preact';
import { say } from '../say.ts';
import { openDialog } from './action.ts';

interface FieldsFormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Fields of an action, and the step to its cost. Nothing is done yet. */
export function FieldsForm({ onSubmit, children }: FieldsFormProps) {
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <div class="buttons">
        <Button says="action.leave" onClick={() => (openDialog.value = null)} />
        <button type="submit" class="primary">
          {say('action.showCost')}
        </button>
      </div>
    </form>
  );
}
