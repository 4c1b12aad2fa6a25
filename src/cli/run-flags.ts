import { InvalidArgumentError, Option, type Command } from 'commander';
import type { z } from 'zod';
import { choice, RUN_FLAGS, type FieldName, type RunFlag } from '../backtest/run-schema.ts';
import { problemLines, writePath } from '../configuration/load-yaml.ts';
import { TIMEFRAMES } from '../domain/candle.ts';
import { separatedName } from '../domain/money.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { decimalAmount } from '../simulator/setting-fields.ts';
import { wrongInput } from './command-error.ts';
import { marketOption } from './option-readers.ts';

/** Options as commander returns them, by its attribute names. */
export type FlagValues = Readonly<Record<string, unknown>>;

/** Field of a run that an option sets. */
interface FlagField {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  readonly flag: RunFlag;
  readonly option: Option;
}

/** Parts of a wrapped schema that options are made of. */
interface Wrapped {
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly shape?: z.ZodRawShape;
  readonly entries?: Readonly<Record<string, string>>;
  readonly defaultValue?: unknown;
}

const definitionOf = (schema: z.ZodType): Wrapped => schema._zod.def as Wrapped;

/** Returns the first value that `find` returns for a schema, or for the schemas that it wraps. */
function found<Value>(schema: z.ZodType, find: (schema: z.ZodType) => Value | undefined): Value | undefined {
  const value = find(schema);
  const { innerType, in: input } = definitionOf(schema);
  const inner = innerType ?? input;
  return value !== undefined || inner === undefined ? value : found(inner, find);
}

/** Options that replace other options of a run. */
const SHORTHANDS = {
  cash: decimalAmount()
    .describe('Starting money, in the quote currency of --market or --universe.')
    .register(RUN_FLAGS, { value: '<amount>' }),
  resolution: choice(TIMEFRAMES)
    .describe('Another word for --timeframe.')
    .register(RUN_FLAGS, { value: '<timeframe>', form: 'lower' }),
};

interface Shorthands {
  timeframe?: string;
  readonly cash?: string;
  readonly resolution?: string;
}

/** Options of a run, or of a part of one, made of its fields: their help, their checks, and their values. */
export class RunFlags {
  private readonly fields: readonly FlagField[];

  constructor(shape: z.ZodRawShape) {
    this.fields = fieldsOf({ ...shape, ...('balances' in shape ? SHORTHANDS : {}) }, []);
  }

  /** Adds an option for each field. */
  addTo(command: Command): Command {
    for (const { option } of this.fields) command.addOption(option);
    return command;
  }

  /** Returns the options in the form of a file. Throws if two of them set the same field. */
  written(values: FlagValues): Record<string, unknown> {
    const written: Record<string, unknown> = {};
    for (const { path, option } of this.fields) {
      const value = values[option.attributeName()];
      if (value === undefined) continue;
      let part = written;
      for (const key of path.slice(0, -1)) part = (part[key] ??= {}) as Record<string, unknown>;
      part[path.at(-1) ?? ''] = value;
    }
    const { cash, resolution, ...run } = written as Shorthands & Record<string, unknown>;
    if (resolution !== undefined) {
      const { timeframe = resolution } = run;
      if (timeframe !== resolution)
        throw wrongInput(`expected --timeframe or --resolution, found ${timeframe} and ${resolution}`);
      run.timeframe = resolution;
    }
    return cash === undefined ? run : { ...run, balances: withCash(run, cash) };
  }

  /** Returns the options by the paths of their fields, such as `rules.spreadBps`. */
  byPlace(): ReadonlyMap<string, string> {
    return new Map(this.fields.map(({ path, option }) => [path.join('.'), option.long ?? '']));
  }

  /** Returns an option that was given; null if none was. */
  given(values: FlagValues): string | null {
    const field = this.fields.find(({ option }) => values[option.attributeName()] !== undefined);
    return field?.option.long ?? null;
  }

  /** Returns names of fields for messages: `--fidelity poll`. */
  readonly name: FieldName = (key, value) => {
    const field = this.fields.find(({ path }) => path.at(-1) === key);
    const long = field?.option.long ?? key;
    if (value === undefined) return long;
    return `${long} ${value.startsWith('{') ? `'${value}'` : value}`;
  };

  /** Returns the problems of a run, with the options that they are about. */
  problems(error: z.ZodError): string {
    return problemLines(error, (path) => {
      const field = this.fields.find((one) => one.path.every((key, index) => path[index] === key));
      return field === undefined
        ? writePath(path)
        : [field.option.long, writePath(path.slice(field.path.length))].filter(Boolean).join(' ');
    }).join('\n');
  }
}

/** Returns a run whose balances are `cash` in its quote currency. */
function withCash(run: Readonly<Record<string, unknown>>, cash: string): object {
  const {
    markets,
    universe,
    balances = {},
  } = run as {
    readonly markets?: readonly string[];
    readonly universe?: { readonly quote: string };
    readonly balances?: Readonly<Record<string, string>>;
  };
  const quotes = new Set(markets?.map((market) => parseMarket(market).quote) ?? [universe?.quote]);
  const [quote] = quotes;
  if (quotes.size > 1)
    throw wrongInput('expected --balance for each currency, such as --balance usdt=10000, was --cash');
  if (quote === undefined)
    throw wrongInput('expected --market or --universe with --cash, which is of its quote currency');
  if (balances[quote] !== undefined) throw wrongInput(`expected --cash or --balance ${quote}=…, were both`);
  return { ...balances, [quote]: cash };
}

function fieldsOf(shape: z.ZodRawShape, outer: readonly string[]): readonly FlagField[] {
  return Object.entries(shape).flatMap(([key, field]) => {
    const schema = field as z.ZodType;
    const path = [...outer, key];
    const flag = found(schema, (one) => RUN_FLAGS.get(one));
    if (flag !== undefined) return [{ path, schema, flag, option: optionOf(key, schema, flag) }];
    const inner = found(schema, (one) => definitionOf(one).shape);
    return inner === undefined ? [] : fieldsOf(inner, path);
  });
}

function optionOf(key: string, schema: z.ZodType, flag: RunFlag): Option {
  const { name = separatedName(key, '-'), value, form } = flag;
  const option = new Option(`--${name} ${value}`, helpOf(schema, flag));
  const words = found(schema, (one) => definitionOf(one).entries);
  if (words !== undefined) option.choices(Object.keys(words));
  return option.argParser<unknown>((text, before) => {
    const read = form === undefined ? text : READERS[form](text, before, flag);
    const checked = schema.safeParse(read);
    if (checked.success) return read;
    throw new InvalidArgumentError(`${problemLines(checked.error, placeInValue).join('; ')}.`);
  });
}

/** Writes a path without list indexes: an option checks one value of a list, and its index says nothing. */
const placeInValue = (path: readonly PropertyKey[]): string =>
  writePath(path.filter((key) => typeof key !== 'number'));

/** Returns the description of a field in the form of commander's help: no capital, no full stop. */
function helpOf(schema: z.ZodType, { form = 'lower', hint }: RunFlag): string {
  const text = found(schema, ({ description }) => description) ?? '';
  const usual = found(schema, (one) => definitionOf(one).defaultValue);
  return [
    text.slice(0, 1).toLowerCase() + text.slice(1).replace(/\.$/, ''),
    ...(hint === undefined ? [] : [` (${hint})`]),
    ...(REPEATABLE.has(form) ? ['; repeatable'] : []),
    ...(typeof usual === 'string' || typeof usual === 'number' ? [` (default: ${usual})`] : []),
  ].join('');
}

type Form = NonNullable<RunFlag['form']>;

const REPEATABLE: ReadonlySet<Form> = new Set(['list', 'amounts', 'params', 'files', 'objectives']);

/** Readers of an option's text, by its form; values are as in a file. The field checks a wrong form. */
const READERS: Readonly<Record<Form, (text: string, before: unknown, flag: RunFlag) => unknown>> = {
  number: (text) => (/^-?\d{1,16}(?:\.\d{1,10})?$/.test(text) ? Number(text) : text),
  milliseconds: (text) => (/^\d{1,16}$/.test(text) ? `${text}ms` : text),
  lower: (text) => text.toLowerCase(),
  list: (text, before) => [...((before as readonly string[] | undefined) ?? []), text],
  json(text, _before, { value, hint }) {
    const read = jsonOrText(text);
    if (typeof read === 'object') return read;
    throw new InvalidArgumentError(`expected ${value.slice(1, -1)} as JSON, such as ${hint}.`);
  },
  amounts(text, before, flag) {
    const [currency, amount] = pairOf(text, flag);
    return { ...Object(before), [currency.toLowerCase()]: amount };
  },
  params(text, before, flag) {
    const [name, value] = pairOf(text, flag);
    return { ...Object(before), [name]: jsonOrText(value) };
  },
  objectives(text, before) {
    const [metric = '', ...direction] = text.split(':');
    const objective = direction.length === 0 ? metric : { metric, direction: direction.join(':') };
    return [...((before as readonly unknown[] | undefined) ?? []), objective];
  },
  files(text, before) {
    const [, symbol = '', named = ''] = /^([A-Za-z0-9_]{2,24}(?:IRT|USDT))=(.+)$/i.exec(text) ?? [];
    const market = symbol === '' ? '' : marketOption(symbol);
    const files = typeof before === 'string' ? { '': before } : { ...Object(before) };
    if (files[market] !== undefined)
      throw new InvalidArgumentError('expected one file of each market, such as BTCUSDT=file.');
    return before === undefined && market === '' ? text : { ...files, [market]: named === '' ? text : named };
  },
};

function pairOf(text: string, { value, hint }: RunFlag): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`expected ${value.slice(1, -1)}, ${hint}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
