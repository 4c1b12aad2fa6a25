import { readStored } from '../../domain/stored-json.ts';
import type { ByHandCommand } from '../engine-event.ts';
import { leftBehind } from '../left-behind.ts';
import { byHandToJson, KEPT_BY_HAND, storedByHand, type ByHandState } from './by-hand-record.ts';
import { CancelByHand, type CancelByHandOptions } from './cancel-by-hand.ts';
import { CloseByHand, type CloseByHandOptions } from './close-by-hand.ts';
import { PlaceByHand, type PlaceByHandOptions } from './place-by-hand.ts';
import { PositionByHand, type PositionByHandOptions } from './position-by-hand.ts';
import type { KeptTexts } from '../mirror-change.ts';

type ByHandOptions = Omit<
  CancelByHandOptions & CloseByHandOptions & PlaceByHandOptions & PositionByHandOptions,
  'instanceOf' | 'leftBehind' | 'onChange' | 'closingOf'
>;

/** Carries out a person's commands on the orders and positions of strategies while the bot runs. */
export class ByHand {
  private readonly options: ByHandOptions;
  private readonly canceling: CancelByHand;
  readonly closing: CloseByHand;
  private readonly placing: PlaceByHand;
  private readonly positions: PositionByHand;
  /** True if something has changed since the last `store`. */
  isChanged = false;

  constructor(options: ByHandOptions) {
    this.options = options;
    const { instances, orderManager, markets } = options;
    const shared = {
      ...options,
      instanceOf: (strategy: string) => instances.find(({ name }) => name === strategy),
      leftBehind: () =>
        leftBehind({ unfinished: orderManager.blotter.table.unfinished(), instances, markets }),
      onChange: () => {
        this.isChanged = true;
      },
    };
    this.canceling = new CancelByHand(shared);
    this.closing = new CloseByHand(shared);
    this.placing = new PlaceByHand(shared);
    this.positions = new PositionByHand({
      ...shared,
      closingOf: (strategy, coin) => this.closing.closingOf(strategy, [coin]),
    });
  }

  /** Does what a command says; one that was done before, by its key, is not done again. */
  take(command: ByHandCommand): void {
    const { outbox } = this.options;
    outbox.durable();
    outbox.journal('control', command.kind, { ...command });
    if (command.kind === 'cancel') this.canceling.take(command);
    else if (command.kind === 'close') this.closing.take(command);
    else if (command.kind === 'position') this.positions.take(command);
    else this.placing.take(command);
  }

  /** Returns the progress of a command; null for one that this bot has not accepted. */
  stateOf(key: string): ByHandState | null {
    return (
      this.positions.stateOf(key) ??
      this.placing.stateOf(key) ??
      this.closing.stateOf(key) ??
      this.canceling.stateOf(key)
    );
  }

  /** Keeps what has changed in this step. */
  store(): void {
    this.isChanged = false;
    const state = {
      placed: this.placing.stored(),
      closings: this.closing.stored(),
      moved: this.positions.stored(),
    };
    this.options.outbox.keep(KEPT_BY_HAND, byHandToJson(state));
  }

  restore({ [KEPT_BY_HAND]: json }: KeptTexts, isPutBack: boolean): void {
    if (json === undefined) return;
    const { placed, closings, moved } = readStored(storedByHand, json, 'what is kept of commands by hand');
    this.placing.restore(placed);
    this.positions.restore(moved);
    this.closing.restore(closings, isPutBack);
  }
}
