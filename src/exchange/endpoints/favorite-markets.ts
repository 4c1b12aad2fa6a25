import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { text } from '../request-types.ts';
import { budget } from './budget.ts';

const section = 'Authentication and user information';
const path = '/users/markets/favorite';
const timeoutMs = 10_000;

const reply = z.object({ favoriteMarkets: z.array(z.string()) }).transform((wire) => wire.favoriteMarkets);

export const favoriteMarkets = endpoint({
  name: 'favoriteMarkets',
  method: 'GET',
  path,
  access: 'token',
  budget: budget('users/markets/favorite', { per: 'token', limit: 6 }),
  idempotent: true,
  sends: 'nothing',
  timeoutMs,
  request: z.object({}),
  reply,
  example: {},
  summary: 'The symbols of the favourite markets.',
  section,
});

export const addFavoriteMarkets = endpoint({
  name: 'addFavoriteMarkets',
  method: 'POST',
  path,
  access: 'token',
  budget: budget('users/markets/favorite/add', { per: 'token', limit: 12 }),
  idempotent: false,
  sends: 'json',
  timeoutMs,
  request: z.object({ market: text(4000).describe('Market symbols, separated by commas.') }),
  reply,
  example: { market: 'BTCIRT,USDTIRT' },
  summary: 'Adds favourite markets.',
  section,
});

export const removeFavoriteMarkets = endpoint({
  name: 'removeFavoriteMarkets',
  method: 'DELETE',
  path,
  access: 'token',
  budget: budget('users/markets/favorite/remove', { per: 'token', limit: 12 }),
  idempotent: false,
  sends: 'json',
  timeoutMs,
  request: z.object({ market: text().describe('A market symbol, or All.') }),
  reply,
  example: { market: 'BTCIRT' },
  summary: 'Removes one favourite market, or all.',
  section,
});
