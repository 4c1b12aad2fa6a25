import { Redactor } from '../../exchange/redactor.ts';
import { createChannel, type Channel, type ChannelTransport } from './channel.ts';
import type { RevealedChannel } from '../alerts-setup.ts';

type SettingsOf<Kind> = Extract<RevealedChannel, { readonly kind: Kind }>;

/** A kind of channel: its code, its secrets and its advice. */
interface ChannelKind<Settings> {
  /** Opens the transport; loads the code of its service, and no other. */
  open(settings: Settings): Promise<ChannelTransport>;
  /** Returns all texts that no log may show, except the proxy's password. */
  secrets(settings: Settings): readonly string[];
  /** Returns advice for a message that the service refused, by the status of its answer. */
  advice(answered: number): string;
}

const chat: ChannelKind<SettingsOf<'telegram' | 'bale'>> = {
  open: async (settings) => (await import('./telegram-transport.ts')).createTelegramTransport(settings),
  secrets: ({ token }) => [token],
  // 404 answers a token that has not even the form of one.
  advice: (answered) =>
    answered === 401 || answered === 404
      ? 'the token is wrong or was revoked: copy it once more from the chat that made the bot'
      : 'write /start to the bot, or add it to the group, and see whether chat has the id (a group has a negative one)',
};

const KINDS: { readonly [Kind in RevealedChannel['kind']]: ChannelKind<SettingsOf<Kind>> } = {
  telegram: chat,
  bale: chat,
  rubika: {
    open: async (settings) => (await import('./web-transports.ts')).createRubikaTransport(settings),
    secrets: ({ token }) => [token],
    advice: () => 'see whether token is that of the bot, and whether the chat was begun by /start',
  },
  ntfy: {
    open: async ({ token = null, ...settings }) =>
      (await import('./web-transports.ts')).createNtfyTransport({ ...settings, token }),
    secrets: ({ topic, token = '', url }) => [topic, token, ...passwordsOf(url)],
    advice: (answered) =>
      answered === 401 || answered === 403
        ? 'set a token that may write to the topic'
        : 'see whether url and topic are those of the server',
  },
  webhook: {
    open: async ({ secret = null, ...settings }) =>
      (await import('./web-transports.ts')).createWebhookTransport({ ...settings, secret }),
    secrets: ({ secret = '', url, headers }) => [secret, ...partsOf(url), ...Object.values(headers)],
    advice: () => 'see what the receiver wants: url, headers, secret and body are what it gets',
  },
  discord: {
    open: async (settings) => (await import('./web-transports.ts')).createDiscordTransport(settings),
    secrets: ({ url }) => partsOf(url),
    advice: () => 'make a new webhook in the settings of the channel there, and set its address as url',
  },
  email: {
    open: async ({ user = null, password = null, ...settings }) =>
      (await import('./email-transport.ts')).createEmailTransport({ ...settings, user, password }),
    secrets: ({ password = '' }) => [password],
    // Replies to a log-in (RFC 4954, 6).
    advice: (answered) =>
      answered === 530 || answered === 534 || answered === 535
        ? 'correct user and password: many providers want a password made for programs'
        : 'see whether the server lets this user send as from, and to each address of to',
  },
};

export function channelKind<Kind extends RevealedChannel['kind']>(kind: Kind): ChannelKind<SettingsOf<Kind>> {
  return KINDS[kind];
}

function passwordsOf(address: string): readonly string[] {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  return [username, password].map(decoded);
}

/** Decodes a URL-encoded text; any other text is returned as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the secret parts of a webhook's address: its path and its query. */
function partsOf(address: string): readonly string[] {
  const { pathname = '', search = '' } = URL.parse(address) ?? {};
  return [address, `${pathname}${search}`, ...passwordsOf(address)].filter((part) => part !== '/');
}

export async function openChannel(settings: RevealedChannel): Promise<Channel> {
  const kind = channelKind(settings.kind);
  const { proxy = null } = settings as { readonly proxy?: string | null };
  return createChannel({
    name: settings.name,
    transport: await kind.open(settings),
    redactor: new Redactor([...kind.secrets(settings), ...(proxy === null ? [] : passwordsOf(proxy))]),
  });
}
