import type { OpenDialog, PageAction } from './action.ts';
import { LockFields } from './lock-fields.tsx';
import { OrderFields } from './order-fields.tsx';
import { PauseFields } from './pause-fields.tsx';
import { PositionFields } from './position-fields.tsx';

export interface ActionFieldsProps {
  readonly open: OpenDialog;
  readonly onReady: (action: PageAction) => void;
}

/** The fields of an action that asks for something; nothing for any other. */
export function ActionFields({ open, onReady }: ActionFieldsProps) {
  switch (open.asks) {
    case 'pause':
      return <PauseFields strategy={open.strategy} onReady={onReady} />;
    case 'lock':
      return <LockFields market={open.market} strategy={open.strategy} onReady={onReady} />;
    case 'order':
      return <OrderFields market={open.market} onReady={onReady} />;
    case 'position':
      return <PositionFields strategy={open.strategy} market={open.market} onReady={onReady} />;
    case 'nothing':
      return null;
  }
}
