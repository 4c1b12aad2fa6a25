import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { deepFreeze } from '../strategy/frozen-copy.ts';
import type { EngineView } from '../strategy/strategy-event.ts';
import type { SharedLine } from './shared-line.ts';
import { keyOf, eventData, type Look, type WorkerCall } from './worker-messages.ts';

/** Values that are kept to be shown again while they are the same. */
const MOST_KEPT = 200;

/**
 * View of the engine for a strategy in a thread of its own. Data that it read in earlier calls comes with the
 * call; anything else is requested while the main thread waits, so the strategy sees all that a direct call
 * shows.
 */
export class RemoteView implements EngineView {
  nowMs = 0;
  private readonly line: SharedLine;
  private readonly port: MessagePort;
  private now = new Map<string, unknown>();
  private readonly kept = new Map<string, unknown>();

  constructor(line: SharedLine, port: MessagePort) {
    this.line = line;
    this.port = port;
  }

  begin({ event, nowMs, looks, same, inEvent }: WorkerCall): void {
    this.nowMs = nowMs;
    this.now = new Map();
    for (const [key, value] of looks) this.take(key, value);
    const data = eventData(event);
    for (const key of inEvent) this.take(key, data);
    for (const key of same) this.now.set(key, this.kept.get(key));
  }

  position(market: string): ReturnType<EngineView['position']> {
    return this.look(['position', market]) as ReturnType<EngineView['position']>;
  }

  positionNumber(market: string): number {
    return Number(this.position(market));
  }

  inventory(market: string): ReturnType<EngineView['inventory']> {
    return this.look(['inventory', market]) as ReturnType<EngineView['inventory']>;
  }

  freeNumber(currency: string): number {
    return Number(this.free()[currency] ?? 0);
  }

  free(): ReturnType<EngineView['free']> {
    return this.look(['free']) as ReturnType<EngineView['free']>;
  }

  orders(): ReturnType<EngineView['orders']> {
    return this.look(['orders']) as ReturnType<EngineView['orders']>;
  }

  book(market: string): ReturnType<EngineView['book']> {
    return this.look(['book', market]) as ReturnType<EngineView['book']>;
  }

  stats(market: string): ReturnType<EngineView['stats']> {
    return this.look(['stats', market]) as ReturnType<EngineView['stats']>;
  }

  margin(topic: string): ReturnType<EngineView['margin']> {
    return this.look(['margin', topic]) as ReturnType<EngineView['margin']>;
  }

  rules(market: string): ReturnType<EngineView['rules']> {
    return this.look(['rules', market]) as ReturnType<EngineView['rules']>;
  }

  locks(market: string): ReturnType<EngineView['locks']> {
    return this.look(['locks', market]) as ReturnType<EngineView['locks']>;
  }

  universe(name: string): ReturnType<EngineView['universe']> {
    return this.look(['universe', name]) as ReturnType<EngineView['universe']>;
  }

  equity(market: string): ReturnType<EngineView['equity']> {
    return this.look(['equity', market]) as ReturnType<EngineView['equity']>;
  }

  ageMs(what: Parameters<EngineView['ageMs']>[0], market: string): number | null {
    return this.look(['ageMs', what, market]) as number | null;
  }

  accountAgeMs(what: Parameters<EngineView['accountAgeMs']>[0]): number | null {
    return this.look(['accountAgeMs', what]) as number | null;
  }

  private look(look: Look): unknown {
    const key = keyOf(look);
    if (this.now.has(key)) return this.now.get(key);
    this.line.ask(look);
    const answer = this.line.passed() ?? receiveMessageOnPort(this.port)?.message;
    this.take(key, (answer as { readonly value: unknown } | undefined)?.value ?? null);
    return this.now.get(key);
  }

  private take(key: string, value: unknown): void {
    this.now.set(key, deepFreeze(value));
    if (typeof value !== 'object' || value === null) return;
    if (this.kept.size >= MOST_KEPT) this.kept.clear();
    this.kept.set(key, value);
  }
}
