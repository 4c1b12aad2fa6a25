import { DAY_MS, MINUTE_MS, SECOND_MS } from '../domain/time-text.ts';
import { z } from 'zod';
import { parseUnits } from '../domain/money.ts';
import { positiveDecimal } from '../simulator/setting-fields.ts';
import { readClock } from '../domain/zone-time.ts';
import { session, duration } from './setting-fields.ts';
import { Secret } from '../configuration/secret-file.ts';

/** Names of the channel fields that hold secrets. A webhook's address is one: it allows sending messages. */
export const CHANNEL_SECRETS = ['token', 'password', 'secret', 'url', 'topic'] as const;

/** Maximum number of channels that one bot may have. */
const MOST_CHANNELS = 20;

const LEAST_SEVERITIES = ['info', 'warning', 'critical'] as const;
const MOST_STEPS = 5;

const text = () => z.string({ error: 'expected a text' }).min(1, 'expected a text, was empty').max(4_096);
const secret = () => text().transform((value) => new Secret(value));

/** Field for an http or https address. Messages never repeat the value: it may hold a secret. */
const webAddress = () =>
  text().refine(
    (value) => /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value),
    'expected an address that begins with https://',
  );

/** Field for the base address of an API. A slash at its end is removed, since paths are appended to it. */
const apiRoot = (usual: string) =>
  webAddress()
    .transform((value) => value.replace(/\/+$/, ''))
    .prefault(usual)
    .describe('Base address of the API, for a mirror of it that your server can reach.');

const proxy = () =>
  webAddress()
    .nullable()
    .prefault(null)
    .describe('An HTTP proxy, such as http://127.0.0.1:8080. Only this channel goes through it.');

const shared = {
  name: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'expected lower-case letters, digits and single hyphens')
    .max(40)
    .optional()
    .describe('What lists and logs call it; by default its kind.'),
  least: z
    .enum(LEAST_SEVERITIES)
    .prefault('info')
    .describe('The least severity that it is told: info, warning or critical.'),
  step: z
    .int()
    .min(1)
    .max(MOST_STEPS)
    .prefault(1)
    .describe('1 is told at once, 2 what nobody has acknowledged within escalateAfter, and so on.'),
  mostPerHour: z
    .int()
    .min(1)
    .max(1_000)
    .prefault(30)
    .describe('Messages within an hour. What comes beyond it is gathered into the next one.'),
};

/** Field for the users who may give commands by chat. */
const commandsFrom = () =>
  z
    .array(z.int())
    .max(50)
    .prefault([])
    .describe('Ids of the users who may ask and command by chat. Without one it takes no commands.');

const chat = () =>
  z.union([z.int(), z.string().min(1).max(100)]).describe('The id of the chat that is told.');

const channel = <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.strictObject({ kind: z.literal(kind), ...shared, ...shape });

/** Field for an address that is a secret. */
const secretAddress = (about: string) =>
  webAddress()
    .transform((value) => new Secret(value))
    .describe(about);

const chatToken = secret().describe('The token of the bot. A secret.');

const chatBot = <const Kind extends string>(kind: Kind, usualRoot: string) =>
  channel(kind, {
    token: chatToken,
    chat: chat(),
    commandsFrom: commandsFrom(),
    apiRoot: apiRoot(usualRoot),
    proxy: proxy(),
  });

const telegram = chatBot('telegram', 'https://api.telegram.org');
const bale = chatBot('bale', 'https://tapi.bale.ai');

const rubika = channel('rubika', {
  token: chatToken,
  chat: z.string().min(1).max(100).describe('The id of the chat that is told.'),
  apiRoot: apiRoot('https://botapi.rubika.ir/v3'),
  proxy: proxy(),
});

const ntfy = channel('ntfy', {
  url: webAddress()
    .prefault('https://ntfy.sh')
    .transform((value) => new Secret(value))
    .describe('Address of the server. A secret, as it may have a password.'),
  topic: secret().describe('The topic. A secret: who knows it can read along.'),
  token: secret().optional().describe('An access token, for a server that asks for one. A secret.'),
  proxy: proxy(),
});

const webhook = channel('webhook', {
  url: secretAddress('Where each message is posted to. A secret.'),
  headers: z
    .record(z.string().regex(/^[A-Za-z0-9-]{1,60}$/), text())
    .prefault({})
    .describe('More headers.'),
  body: text()
    .nullable()
    .prefault(null)
    .describe(
      'A template of the body. {id}, {severity}, {title}, {text} and {time} are put in as JSON texts, {json} is all of them as an object.',
    ),
  secret: secret().optional().describe('Signs each message by HMAC with SHA-256. A secret.'),
  proxy: proxy(),
});

const discord = channel('discord', {
  url: secretAddress('The address of the webhook. A secret.'),
  proxy: proxy(),
});

const email = channel('email', {
  host: text().describe('The SMTP server.'),
  port: z.int().min(1).max(65_535).prefault(587).describe('Its port.'),
  isSecure: z
    .boolean()
    .prefault(false)
    .describe(
      'Whether TLS begins with the connection, as on port 465. Else STARTTLS is used where it is there.',
    ),
  user: text().optional().describe('Who logs in.'),
  password: secret().optional().describe('The password. A secret.'),
  from: text().describe('The sender.'),
  to: z.array(text()).min(1).max(20).describe('Who gets it.'),
});

/** Settings of one channel that delivers alerts to people. */
export const channelSettings = z.discriminatedUnion('kind', [
  telegram,
  bale,
  rubika,
  ntfy,
  webhook,
  discord,
  email,
]);

const CHANNEL_KINDS = channelSettings.options.map(({ shape }) => shape.kind.value);

type Severity = (typeof LEAST_SEVERITIES)[number];

const severity = (usual: Severity) =>
  z
    .enum(LEAST_SEVERITIES)
    .prefault(usual)
    .describe('How much it matters. critical passes quiet hours and a mute.');

const after = (usual: string, description: string) =>
  duration({ leastMs: SECOND_MS, mostMs: DAY_MS }).prefault(usual).describe(description);

/** Field for a rule that is on unless it is null. */
const rule = <Rule extends z.ZodType>(fields: Rule, description: string) =>
  fields
    .nullable()
    .prefault({} as never)
    .describe(`${description} null switches it off.`);

/** Field for a rule that only has a severity. */
const plain = (usual: Severity, description: string) =>
  rule(z.strictObject({ severity: severity(usual) }), description);

const timed = (
  of: { readonly severity: 'warning' | 'critical'; readonly after: string; readonly waits: string },
  description: string,
) =>
  rule(
    z
      .strictObject({ severity: severity(of.severity), after: after(of.after, of.waits) })
      .transform(({ after: afterMs, severity }) => ({ severity, afterMs })),
    description,
  );

const fall = (percent: number, description: string) =>
  rule(
    z.strictObject({
      severity: severity('warning'),
      percent: z.number().min(0.01).max(100).prefault(percent).describe('How far, in percent.'),
    }),
    description,
  );

const units = () =>
  positiveDecimal()
    .transform((value) => parseUnits(value))
    .optional();

const ruleSettings = z
  .strictObject({
    lockout: plain('critical', 'The exchange locks the bot out of a budget.'),
    credential: plain('critical', 'The exchange refuses the credential (401).'),
    unknownOrder: timed(
      { severity: 'critical', after: '10m', waits: 'How long its fate must be unknown.' },
      'It is not known what became of an order.',
    ),
    break: plain('critical', 'The books do not agree with the exchange.'),
    noOrders: timed(
      { severity: 'critical', after: '1m', waits: 'How long it must keep them back.' },
      'The bot places no new orders, as the exchange contradicts itself or the books can not be compared.',
    ),
    riskLimit: plain('warning', 'A limit on losses lets a strategy add no risk.'),
    refused: plain('warning', 'The exchange refused orders of a strategy three times alike.'),
    standstill: timed(
      { severity: 'critical', after: '1m', waits: 'How long it must stand still for the bot.' },
      'The book of a market stands still at the exchange while the market goes on: no order goes there.',
    ),
    halted: plain('warning', 'Trading is halted.'),
    approval: plain('warning', 'An entry waits until a person approves it.'),
    noData: timed(
      { severity: 'critical', after: '5m', waits: 'How long nothing must have come.' },
      'Nothing, or nothing of a feed, is read from the exchange.',
    ),
    drawdown: fall(10, 'Equity fell from its peak.'),
    dailyLoss: fall(5, 'Equity fell since the day began in Tehran.'),
    unprotected: timed(
      { severity: 'critical', after: '1m', waits: 'How long the position must be without an exit.' },
      'A position of a bracket has no exit at the exchange.',
    ),
    unclear: plain(
      'critical',
      'A position may be closed or moved by hand: a person has to say what became of it.',
    ),
    strategy: plain('warning', 'A strategy failed: it pauses or is stopped.'),
    disk: rule(
      z.strictObject({
        severity: severity('critical'),
        leastMegabytes: z.int().min(1).max(1e6).prefault(500).describe('Less room than this is an alert.'),
      }),
      'The disk of the data folder is nearly full, or can not be written.',
    ),
    clock: plain('warning', "The machine's clock differs from that of the exchange."),
    newDevice: plain('warning', 'The bot logged in as a new device, which closes withdrawals for an hour.'),
    bigFill: z
      .strictObject({
        severity: severity('info'),
        least: z
          .strictObject({ rls: units(), usdt: units() })
          .describe('The least value of the trade, by quote currency.'),
      })
      .nullable()
      .prefault(null)
      .describe('A large trade. null switches it off.'),
    shadow: z
      .strictObject({
        severity: severity('info'),
        least: z
          .strictObject({ rls: units(), usdt: units() })
          .describe('The least difference of both profits, by quote currency.'),
      })
      .nullable()
      .prefault(null)
      .describe('A shadow earns more or less than its strategy. null switches it off.'),
    silent: timed(
      { severity: 'critical', after: '2m', waits: 'How long it must be silent.' },
      'The engine writes nothing down any more.',
    ),
  })
  .prefault({});

const clock = (usual: string | null, description: string) =>
  z
    .string({ error: 'expected a time such as "21:00", in quotes' })
    .transform((written, context): number => {
      const minute = readClock(written);
      if (minute !== null && minute < 1_440) return minute;
      context.addIssue({ code: 'custom', message: `expected a time such as "21:00", was "${written}"` });
      return z.NEVER;
    })
    .nullable()
    .prefault(usual)
    .describe(description);

/** Settings of the alerts: their channels, rules and times. */
export const alertSettings = z
  .strictObject({
    channels: z
      .array(channelSettings)
      .max(MOST_CHANNELS)
      .prefault([])
      .describe(`Ways to people: ${CHANNEL_KINDS.join(', ')}. docs/alerts.md has each.`),
    rules: ruleSettings.describe('What is worth an alert.'),
    quietHours: session()
      .nullable()
      .prefault(null)
      .describe('Hours of Tehran such as "23:00-08:00", in which only what is critical is sent.'),
    group: duration({ leastMs: SECOND_MS, mostMs: DAY_MS })
      .prefault('10s')
      .describe('What comes within this time of a message is gathered into the next one.'),
    escalateAfter: duration({ leastMs: MINUTE_MS, mostMs: DAY_MS })
      .nullable()
      .prefault('10m')
      .describe('After so long without an acknowledgement the channels of the next step are told.'),
    remindEvery: duration({ leastMs: MINUTE_MS, mostMs: 30 * DAY_MS })
      .nullable()
      .prefault('6h')
      .describe('A critical alert that nobody has acknowledged is said again this often.'),
    summary: z
      .strictObject({
        daily: clock('21:00', 'When the day is summed up, by the clock of Tehran. null: never.'),
        weekly: clock('21:00', 'When the week is summed up, on Fridays. null: never.'),
      })
      .prefault({})
      .describe('Summaries with a picture of equity.'),
  })
  .transform(({ channels, group, escalateAfter, remindEvery, summary, ...rest }) => ({
    ...rest,
    channels: channels.map((channel) => ({ ...channel, name: channel.name ?? channel.kind })),
    groupMs: group,
    escalateAfterMs: escalateAfter,
    remindEveryMs: remindEvery,
    summary: { dailyMinute: summary.daily, weeklyMinute: summary.weekly },
  }))
  .superRefine(({ channels }, context) => {
    const names = channels.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) === index) continue;
      context.addIssue({
        code: 'custom',
        path: ['channels', index, 'name'],
        message: `expected a name that no other channel has, was ${name}`,
      });
    }
  })
  .nullable()
  .prefault(null);

export type AlertSettings = NonNullable<z.output<typeof alertSettings>>;
