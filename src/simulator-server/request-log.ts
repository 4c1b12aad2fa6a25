import { present } from '../domain/errors.ts';
import type { Endpoint } from '../exchange/request-types.ts';
import { ENDPOINTS, type EndpointName } from '../exchange/endpoints.ts';

const WRITTEN = 'a place of the log that was written';

/** One request as the exchange received it, whatever its result. */
export interface LoggedRequest {
  /** Number of the request, counted from 1. */
  readonly number: number;
  readonly timeMs: number;
  readonly ip: string;
  /** Id of the token or key; null if there was none, or a bad one. */
  readonly credentialId: string | null;
  readonly method: string;
  /** Path without its query. */
  readonly path: string;
  /** Null if the path is no endpoint of the interface. */
  readonly endpoint: string | null;
  readonly budget: string | null;
  readonly status: number;
}

/** Maximum number of requests that are kept; beyond it the oldest are dropped. */
const REQUESTS_RETAINED = 100_000;

/**
 * Every request that reached the exchange: tests compare it with the limits. A ring of columns, not of
 * objects, so that a busy exchange makes no garbage for it.
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

  /** Number of requests, including dropped ones. */
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

  /** Returns the requests as of now, oldest first. */
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

/** Route of one method of one path. */
interface Route {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
}

export type Routing =
  | { readonly kind: 'found'; readonly route: Route; readonly path: Readonly<Record<string, string>> }
  /** The path exists, but not with this method. */
  | { readonly kind: 'other-method'; readonly allowed: readonly string[] }
  | { readonly kind: 'none' };

type Methods = Map<string, Route>;

interface Pattern {
  readonly expression: RegExp;
  readonly names: readonly string[];
  readonly methods: Methods;
}

/** Reads that the interface also shows by POST ("Public market data", "Wallets"): they need no lenience. */
const SHOWN_BY_POST: ReadonlySet<string> = new Set(['marketStats', 'walletsList']);

const NONE: Routing = { kind: 'none' };
const NO_PARTS: Readonly<Record<string, string>> = {};

/** Returns a path with its final slash removed or, if it has none, added. */
const otherSpelling = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : `${path}/`);

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Finds the endpoint of a request. Lenient forms (deployments: private reads and statistics by POST too,
 * final slashes that come and go) are found only if enabled.
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

  /** Finds the endpoint; `path` has no query. */
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
