import { z } from 'zod';
import { Secret } from '../../configuration/secret.ts';

/** Names of the fields of a channel that hold secrets: the address of a webhook opens the door as well. */
export const CHANNEL_SECRETS = ['token', 'password', 'secret', 'url', 'topic'] as const;

/** Channels that one bot may have. */
export const MOST_CHANNELS = 20;

const LEAST_SEVERITIES = ['info', 'warning', 'critical'] as const;
const MOST_STEPS = 5;

const text = () => z.string({ error: 'expected a text' }).min(1, 'expected a text, was empty').max(4_096);
const secret = () => text().transform((value) => new Secret(value));

/** An address of http or https. What is written is never repeated: it may hold a secret. */
const webAddress = () =>
  text().refine(
    (value) => /^https?:\/\/[^\s/]/.test(value) && URL.canParse(value),
    'expected an address that begins with https://',
  );

/** Without a slash at its end, as the paths of an API are put after it. */
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

/** Users who may give commands by chat. */
const commandsFrom = () =>
  z
    .array(z.int())
    .max(50)
    .prefault([])
    .describe('Ids of the users who may ask and command by chat. Without one it takes no commands.');

const chat = () =>
  z.union([z.int(), z.string().min(1).max(100)]).describe('The id of the chat that is told.');

const telegram = z.strictObject({
  kind: z.literal('telegram'),
  ...shared,
  token: secret().describe('The token of the bot. A secret.'),
  chat: chat(),
  commandsFrom: commandsFrom(),
  apiRoot: apiRoot('https://api.telegram.org'),
  proxy: proxy(),
});

const bale = z.strictObject({
  kind: z.literal('bale'),
  ...shared,
  token: secret().describe('The token of the bot. A secret.'),
  chat: chat(),
  commandsFrom: commandsFrom(),
  apiRoot: apiRoot('https://tapi.bale.ai'),
  proxy: proxy(),
});

const rubika = z.strictObject({
  kind: z.literal('rubika'),
  ...shared,
  token: secret().describe('The token of the bot. A secret.'),
  chat: z.string().min(1).max(100).describe('The id of the chat that is told.'),
  apiRoot: apiRoot('https://botapi.rubika.ir/v3'),
  proxy: proxy(),
});

const ntfy = z.strictObject({
  kind: z.literal('ntfy'),
  ...shared,
  url: webAddress()
    .prefault('https://ntfy.sh')
    .transform((value) => new Secret(value))
    .describe('Address of the server. A secret, as it may have a password.'),
  topic: secret().describe('The topic. A secret: who knows it can read along.'),
  token: secret().optional().describe('An access token, for a server that asks for one. A secret.'),
  proxy: proxy(),
});

const webhook = z.strictObject({
  kind: z.literal('webhook'),
  ...shared,
  url: webAddress()
    .transform((value) => new Secret(value))
    .describe('Where each message is posted to. A secret.'),
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

const discord = z.strictObject({
  kind: z.literal('discord'),
  ...shared,
  url: webAddress()
    .transform((value) => new Secret(value))
    .describe('The address of the webhook. A secret.'),
  proxy: proxy(),
});

const email = z.strictObject({
  kind: z.literal('email'),
  ...shared,
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

/** One way to people. */
export const channelSettings = z.discriminatedUnion('kind', [
  telegram,
  bale,
  rubika,
  ntfy,
  webhook,
  discord,
  email,
]);

export const CHANNEL_KINDS = channelSettings.options.map(({ shape }) => shape.kind.value);
