import { present } from '../domain/errors.ts';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';

const WRITTEN = 'a place of the log that was written';

/** One request as the exchange saw it, whatever became of it. */
export interface LoggedRequest {
  /** Counts from 1. */
  readonly number: number;
  readonly timeMs: number;
  readonly ip: string;
  /** Of the token or key that came; null when none did, or a bad one. */
  readonly credentialId: string | null;
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  /** Null when the address is none of the interface. */
  readonly endpoint: string | null;
  readonly budget: string | null;
  readonly status: number;
}

/** Requests kept; beyond, the oldest are forgotten. */
const REQUESTS_RETAINED = 100_000;

/**
 * Every request that reached the exchange: what tests hold the limits against. A ring of columns rather than
 * of objects, so that a busy exchange leaves no garbage behind for it.
 */
export class RequestLog {
  private readonly capacity: number;
  private readonly times: Float64Array;
  private readonly statuses: Uint16Array;
  private readonly ips: string[] = [];
  private readonly credentialIds: (string | null)[] = [];
  private readonly methods: string[] = [];
  private readonly paths: string[] = [];
  private readonly endpoints: (string | null)[] = [];
  private readonly budgets: (string | null)[] = [];
  private lastNumber = 0;

  constructor(capacity = REQUESTS_RETAINED) {
    this.capacity = capacity;
    this.times = new Float64Array(capacity);
    this.statuses = new Uint16Array(capacity);
  }

  /** Number of requests, including forgotten ones. */
  get count(): number {
    return this.lastNumber;
  }

  add(request: Omit<LoggedRequest, 'number'>): void {
    const place = this.lastNumber % this.capacity;
    this.lastNumber += 1;
    this.times[place] = request.timeMs;
    this.statuses[place] = request.status;
    this.ips[place] = request.ip;
    this.credentialIds[place] = request.credentialId;
    this.methods[place] = request.method;
    this.paths[place] = request.path;
    this.endpoints[place] = request.endpoint;
    this.budgets[place] = request.budget;
  }

  /** Oldest first, as they were when asked. */
  values(): readonly LoggedRequest[] {
    const first = Math.max(0, this.lastNumber - this.capacity);
    return Array.from({ length: this.lastNumber - first }, (_, index) => this.at(first + index));
  }

  private at(index: number): LoggedRequest {
    const place = index % this.capacity;
    return {
      number: index + 1,
      timeMs: present(this.times[place], WRITTEN),
      ip: present(this.ips[place], WRITTEN),
      credentialId: this.credentialIds[place] ?? null,
      method: present(this.methods[place], WRITTEN),
      path: present(this.paths[place], WRITTEN),
      endpoint: this.endpoints[place] ?? null,
      budget: this.budgets[place] ?? null,
      status: present(this.statuses[place], WRITTEN),
    };
  }
}

/** One method of one address. */
interface Route {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
}

export type Routing =
  | { readonly kind: 'found'; readonly route: Route; readonly path: Readonly<Record<string, string>> }
  /** The address exists, but not with this method. */
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'none' };

type Methods = Map<string, Route>;

interface Pattern {
  readonly expression: RegExp;
  readonly names: readonly string[];
  readonly methods: Methods;
}

/**
 * Reads that the interface itself shows by POST too ("Public market data", "Wallets"); no lenience is needed
 * for them.
 */
const SHOWN_BY_POST: ReadonlySet<string> = new Set(['marketStats', 'walletsList']);

const NONE: Routing = { kind: 'none' };
const NO_PARTS: Readonly<Record<string, string>> = {};

/** The other spelling of an address: with a slash at its end, or without. */
function otherSpelling(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Finds the endpoint of a request. The lenient forms (deployments: private reads and statistics by POST too,
 * slashes at the end that come and go) are found only when asked for.
 */
export class RequestRouter {
  private readonly exact = new Map<string, Methods>();
  private readonly patterns: Pattern[] = [];
  private readonly isLenient: boolean;

  constructor(isLenient: boolean) {
    this.isLenient = isLenient;
    for (const endpoint of Object.values(ENDPOINTS) as readonly Endpoint[]) {
      const route: Route = { name: endpoint.name as EndpointName, endpoint };
      const methods = this.methodsOf(endpoint.path);
      methods.set(endpoint.method, route);
      if (!isLenient && !SHOWN_BY_POST.has(endpoint.name)) continue;
      for (const method of endpoint.alsoMethods ?? []) if (!methods.has(method)) methods.set(method, route);
    }
  }

  /** `path` is without its query. */
  find(method: string, path: string): Routing {
    const methods =
      this.exact.get(path) ?? (this.isLenient ? this.exact.get(otherSpelling(path)) : undefined);
    if (methods !== undefined) return choose(methods, method, NO_PARTS);
    for (const pattern of this.patterns) {
      const match = pattern.expression.exec(path);
      if (match === null) continue;
      const parts: Record<string, string> = {};
      for (const [index, name] of pattern.names.entries()) {
        const part = decoded(match[index + 1] ?? '');
        if (part === null) return NONE;
        parts[name] = part;
      }
      return choose(pattern.methods, method, parts);
    }
    return NONE;
  }

  private methodsOf(path: string): Methods {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
    if (names.length === 0) {
      const known = this.exact.get(path) ?? new Map<string, Route>();
      this.exact.set(path, known);
      return known;
    }
    const source = path.replace(/\{\w+\}/g, '([^/]+)');
    const expression = new RegExp(`^${source}${this.isLenient && !path.endsWith('/') ? '/?' : ''}$`);
    const known = this.patterns.find((pattern) => pattern.expression.source === expression.source);
    if (known !== undefined) return known.methods;
    const pattern: Pattern = { expression, names, methods: new Map() };
    this.patterns.push(pattern);
    return pattern.methods;
  }
}

function choose(methods: Methods, method: string, path: Readonly<Record<string, string>>): Routing {
  const route = methods.get(method);
  return route === undefined
    ? { kind: 'other-method', allowed: [...methods.keys()] }
    : { kind: 'found', route, path };
}
