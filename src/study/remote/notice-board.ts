import type { Redis } from 'ioredis';

/** Notices that are read at most. */
const MOST = 1_000;

/** Short texts that many processes post for all others, and that vanish with who does not post them again. */
export class NoticeBoard {
  private readonly client: Redis;
  private readonly key: string;

  constructor(client: Redis, key: string) {
    this.client = client;
    this.key = key;
  }

  /** Posts a text under a name, for so long. */
  async post(name: string, text: string, keepMs: number): Promise<void> {
    await this.client
      .multi()
      .sadd(this.key, name)
      .pexpire(this.key, keepMs * 2)
      .set(this.place(name), text, 'PX', keepMs)
      .exec();
  }

  async remove(name: string): Promise<void> {
    await this.client.multi().srem(this.key, name).del(this.place(name)).exec();
  }

  /** The texts that are there, by their names, which are in order. */
  async list(): Promise<ReadonlyMap<string, string>> {
    const names = (await this.client.srandmember(this.key, MOST)).toSorted();
    if (names.length === 0) return new Map();
    const texts = await this.client.mget(names.map((name) => this.place(name)));
    const found = new Map<string, string>();
    const gone: string[] = [];
    for (const [index, name] of names.entries()) {
      const text = texts[index];
      if (typeof text === 'string') found.set(name, text);
      else gone.push(name);
    }
    if (gone.length > 0) await this.client.srem(this.key, gone);
    return found;
  }

  private place(name: string): string {
    return `${this.key}:${name}`;
  }
}
