import { Redactor } from '../../exchange/redactor.ts';
import { createChannel, type Channel, type ChannelTransport } from './channel.ts';
import type { RevealedChannel } from '../revealed-channel.ts';

/** Everything of a channel that no log may show. */
function secretsOfChannel(channel: RevealedChannel): readonly string[] {
  const { proxy = null } = channel as { readonly proxy?: string | null };
  const ofProxy = proxy === null ? [] : passwordsOf(proxy);
  switch (channel.kind) {
    case 'telegram':
    case 'bale':
    case 'rubika':
      return [channel.token, ...ofProxy];
    case 'ntfy':
      return [channel.topic, channel.token ?? '', ...passwordsOf(channel.url), ...ofProxy];
    case 'webhook':
      return [channel.secret ?? '', ...partsOf(channel.url), ...Object.values(channel.headers), ...ofProxy];
    case 'discord':
      return [...partsOf(channel.url), ...ofProxy];
    case 'email':
      return [channel.password ?? ''];
  }
}

function passwordsOf(address: string): readonly string[] {
  const { username = '', password = '' } = URL.parse(address) ?? {};
  return [username, password].map(decoded);
}

/** As it was meant; a text that is no URL encoding is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The path and the query of a webhook's address are what opens the door. */
function partsOf(address: string): readonly string[] {
  const { pathname = '', search = '' } = URL.parse(address) ?? {};
  return [address, `${pathname}${search}`, ...passwordsOf(address)].filter((part) => part !== '/');
}

/** Opens a channel. What a service needs is loaded for it alone. */
export async function openChannel(settings: RevealedChannel): Promise<Channel> {
  return createChannel({
    name: settings.name,
    transport: await openTransport(settings),
    redactor: new Redactor(secretsOfChannel(settings)),
  });
}

async function openTransport(settings: RevealedChannel): Promise<ChannelTransport> {
  switch (settings.kind) {
    case 'telegram':
    case 'bale': {
      const { createTelegramTransport } = await import('./telegram-transport.ts');
      return createTelegramTransport(settings);
    }
    case 'rubika': {
      const { createRubikaTransport } = await import('./rubika-transport.ts');
      return createRubikaTransport(settings);
    }
    case 'email': {
      const { createEmailTransport } = await import('./email-transport.ts');
      const { user = null, password = null } = settings;
      return createEmailTransport({ ...settings, user, password });
    }
    case 'ntfy': {
      const { createNtfyTransport } = await import('./web-transports.ts');
      return createNtfyTransport({ ...settings, token: settings.token ?? null });
    }
    case 'webhook': {
      const { createWebhookTransport } = await import('./web-transports.ts');
      return createWebhookTransport({ ...settings, secret: settings.secret ?? null });
    }
    case 'discord': {
      const { createDiscordTransport } = await import('./web-transports.ts');
      return createDiscordTransport(settings);
    }
  }
}
