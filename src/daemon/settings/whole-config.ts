import { isObject } from '../../domain/stored-json.ts';
import { unknownKeyText, type Located } from '../../configuration/load-yaml.ts';
import { budgetTable } from '../../exchange/client-options.ts';
import { FIRST_VENUE } from '../../mirror/mirror-path.ts';
import { parseDuration } from '../duration-text.ts';
import { isLoopback } from '../setting-fields.ts';
import { baseName, defaultShadowName } from '../strategy-settings.ts';

/**
 * Maximum number of characters of instance name and strategy name together: an order id has 32, of which the
 * mirror's epoch, the row and three hyphens take 14.
 */
const NAMES_TOGETHER = 18;

interface Plain {
  readonly [name: string]: unknown;
}

const plain = (value: unknown): Plain => (isObject(value) ? value : {});

/**
 * Checks that the parts of a configuration fit together. It reads the values as written, so that its problems
 * are reported together with those of single values. It ignores values of a wrong type.
 */
export function checkWhole(written: unknown): readonly Located[] {
  const root = plain(written);
  return [
    ...checkMode(root),
    ...checkLimits(plain(root['exchange']), ['exchange']),
    ...checkStrategyNames(root),
    ...checkShadows(root),
    ...checkEmbedded(plain(root['embedded'])),
    ...checkOtherVenues(root),
    ...checkWatchdog(plain(root['watchdog'])),
  ];
}

function problem(path: readonly PropertyKey[], message: string): Located {
  return { path, key: false, message };
}

function checkMode(root: Plain): readonly Located[] {
  const mode = root['mode'];
  if (mode !== 'live' && mode !== 'paper') return [];
  const exchange = plain(root['exchange']);
  const paperAddress = mode === 'paper' ? plain(root['paper'])['baseUrl'] : undefined;
  const baseUrl = paperAddress ?? exchange['baseUrl'];
  const path = paperAddress === undefined ? ['exchange', 'baseUrl'] : ['paper', 'baseUrl'];
  const problems: Located[] = [];
  if (baseUrl === undefined || baseUrl === null) {
    problems.push(problem(path, `expected the address of the exchange in the mode ${mode}, was nothing`));
  } else if (typeof baseUrl === 'string' && isPlainRemote(baseUrl) && exchange['plainHttp'] !== true) {
    const reason = mode === 'live' ? 'credentials and orders' : 'prices';
    const message = `expected an https address, as ${reason} can be read and changed on the way; set exchange.plainHttp to true for a network of your own`;
    problems.push(problem(path, message));
  }
  if (mode === 'paper') return [...problems, ...checkPaperPlaces(root)];
  if (exchange['credentials'] === undefined || exchange['credentials'] === null) {
    problems.push(
      problem(['exchange', 'credentials'], 'expected a token or a key in the mode live, was nothing'),
    );
  }
  if (root['strategies'] === undefined || root['strategies'] === null) {
    problems.push(
      problem(['strategies'], 'expected the strategies to be named in the mode live, was nothing'),
    );
  }
  return problems;
}

/** Names of the limits of the venue `service`; another venue checks its own when it is opened. */
const LIMITS: readonly string[] = [...budgetTable().keys()];

function checkLimits({ venue = FIRST_VENUE, limits }: Plain, at: readonly PropertyKey[]): readonly Located[] {
  if (venue !== FIRST_VENUE) return [];
  return Object.keys(plain(limits)).flatMap((name) =>
    LIMITS.includes(name)
      ? []
      : [{ path: [...at, 'limits', name], key: true, message: unknownKeyText(name, LIMITS) }],
  );
}

/** Checks the addresses and limits of other venues, and that the bot's time passes as theirs does. */
function checkOtherVenues({ mode = 'embedded', venues, embedded }: Plain): readonly Located[] {
  const all = Object.entries(plain(venues)).map(([name, other]) => ({
    at: ['venues', name],
    ...plain(other),
  }));
  const { speed = 1, replay } = plain(embedded);
  const isOfNow = mode !== 'embedded' || (speed === 1 && replay === undefined);
  return [
    ...all.flatMap((other) => checkLimits(other, other.at)),
    ...all.flatMap(({ at, ...other }) => {
      const { baseUrl, plainHttp } = other as Plain;
      if (typeof baseUrl !== 'string' || !isPlainRemote(baseUrl) || plainHttp === true) return [];
      return [
        problem(
          [...at, 'baseUrl'],
          'expected an https address, as prices can be read and changed on the way; set plainHttp to true for a network of your own',
        ),
      ];
    }),
    ...(isOfNow || all.length === 0
      ? []
      : [
          problem(
            ['venues'],
            'expected embedded.speed 1 and no replay, since the prices of other venues are those of now: run it in the mode paper',
          ),
        ]),
  ];
}

/** Checks that no strategy in the mode paper has a universe: only markets that are named are served. */
function checkPaperPlaces({ strategies }: Plain): readonly Located[] {
  if (!Array.isArray(strategies)) return [];
  return strategies.flatMap((strategy: unknown, index) =>
    plain(strategy)['universe'] === undefined
      ? []
      : [
          problem(
            ['strategies', index, 'universe'],
            'expected market in the mode paper, which follows the markets that strategies name, was universe: use it in the modes embedded and live, and in backtests',
          ),
        ],
  );
}

function isPlainRemote(baseUrl: string): boolean {
  return baseUrl.toLowerCase().startsWith('http://') && !isLoopback(baseUrl);
}

function checkStrategyNames(root: Plain): readonly Located[] {
  const { strategies, instance = 'bot' } = root;
  if (!Array.isArray(strategies)) return [];
  const longest = NAMES_TOGETHER - (typeof instance === 'string' ? instance.length : 0);
  const seen = new Map<string, string>();
  return strategies.flatMap(namesOf).flatMap(({ of, name, isWritten }): readonly Located[] => {
    if (typeof name !== 'string') return [];
    const path = [...of, 'name'];
    const before = seen.get(name);
    if (before !== undefined)
      return [problem(path, `expected a name that no other strategy has, ${before} is ${name} too`)];
    const [list, index, ...rest] = of;
    seen.set(name, [`${String(list)}[${String(index)}]`, ...rest].join('.'));
    if (name.length > longest) {
      const message = `expected a name of at most ${longest} characters beside the instance ${String(instance)}, as both are part of every order id, was ${name}`;
      return [problem(path, message)];
    }
    const isPlain = /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name);
    if (isPlain || isWritten) return [];
    return [
      problem(
        path,
        `expected a name of lower-case letters, digits and hyphens for ${name}, which can be no part of an order id`,
      ),
    ];
  });
}

/** Checks that no strategy with a universe has a shadow: its members would be those that the bot follows. */
function checkShadows({ strategies }: Plain): readonly Located[] {
  if (!Array.isArray(strategies)) return [];
  return strategies.flatMap((strategy: unknown, index) => {
    const { universe, shadow } = plain(strategy);
    if (universe === undefined || !isObject(shadow)) return [];
    const message =
      'expected a shadow of a strategy with market, was one with universe: a backtest compares those';
    return [problem(['strategies', index, 'shadow'], message)];
  });
}

interface NamedSettings {
  readonly of: readonly PropertyKey[];
  readonly name: unknown;
  /** True if the file has the name; else it is made from the plugin's. */
  readonly isWritten: boolean;
}

/** Returns the names of a strategy and its shadow. */
function namesOf(strategy: unknown, index: number): readonly NamedSettings[] {
  const { plugin, shadow, name: written } = plain(strategy);
  const name = written ?? (typeof plugin === 'string' ? baseName(plugin) : undefined);
  const of = ['strategies', index];
  const own = { of, name, isWritten: written !== undefined };
  if (!isObject(shadow)) return [own];
  const ofShadow = shadow['name'] ?? (typeof name === 'string' ? defaultShadowName(name) : undefined);
  return [own, { of: [...of, 'shadow'], name: ofShadow, isWritten: shadow['name'] !== undefined }];
}

function checkEmbedded(embedded: Plain): readonly Located[] {
  if (embedded['file'] === undefined || embedded['exchange'] === undefined) return [];
  return [problem(['embedded', 'file'], 'expected either a file or an exchange written here, were both')];
}

/** Checks that entries are not canceled before the bot's silence is reported. */
function checkWatchdog({ silentAfter = '60s', cancelEntriesAfter }: Plain): readonly Located[] {
  if (typeof silentAfter !== 'string' || typeof cancelEntriesAfter !== 'string') return [];
  const [silentMs, cancelMs] = [parseDuration(silentAfter), parseDuration(cancelEntriesAfter)];
  if (silentMs === null || cancelMs === null || cancelMs >= silentMs) return [];
  return [
    problem(
      ['watchdog', 'cancelEntriesAfter'],
      `expected at least the time of watchdog.silentAfter, which is ${silentAfter}, was ${cancelEntriesAfter}`,
    ),
  ];
}
