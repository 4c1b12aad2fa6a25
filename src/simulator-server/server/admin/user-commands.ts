import { z } from 'zod';
import { FEATURES, VERIFICATIONS } from '../../../simulator/user-settings.ts';
import { userConfig } from '../../settings/user-config.ts';
import { adminCommand, AdminRefusal, userOf } from './admin-command.ts';

const user = () => z.union([z.string().min(1), z.int()], { error: 'expected the name or number of a user' });

/** Users, and what they may do. */
export const userCommands = [
  adminCommand({
    method: 'POST',
    path: '/users',
    summary: 'Adds a user, with the fields of the configuration.',
    input: userConfig,
    run(context, settings) {
      const { services } = context.simulation.exchange;
      const tokens = (settings.tokens ?? []).map((entry) =>
        typeof entry === 'string' ? entry : entry.token,
      );
      const keys = (settings.keys ?? []).map(({ publicKey }) => publicKey.replace(/=$/, ''));
      const timeMs = context.tick();
      const isTaken =
        new Set(tokens).size < tokens.length ||
        new Set(keys).size < keys.length ||
        services.users.findByName(settings.username) !== undefined ||
        (settings.id !== undefined && services.users.find(settings.id) !== undefined) ||
        tokens.some((token) => services.credentials.hasToken(token)) ||
        keys.some((publicKey) => services.credentials.keyOf(publicKey) !== undefined);
      if (isTaken)
        throw new AdminRefusal(
          `expected a name, id, tokens and keys not yet used, was "${settings.username}"`,
        );
      const { id, username } = services.addUser(settings, timeMs);
      return { id, username };
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/users/permissions',
    summary:
      'Switches trading, the look-up by clientOrderId, the features and the verifications of a user on and off.',
    input: z.strictObject({
      user: user(),
      mayTrade: z.boolean().optional(),
      clientIdLookup: z.boolean().optional(),
      features: z.partialRecord(z.enum(FEATURES), z.boolean()).optional(),
      verifications: z.partialRecord(z.enum(VERIFICATIONS), z.boolean()).optional(),
    }),
    run(context, { user: name, mayTrade, clientIdLookup, features, verifications }) {
      const found = userOf(context, name);
      const trader = context.simulation.exchange.trading.trader(found.id);
      if (mayTrade !== undefined) trader.mayTrade = mayTrade;
      if (clientIdLookup !== undefined) trader.lacksClientIdLookup = !clientIdLookup;
      Object.assign(found.features, features);
      Object.assign(found.verifications, verifications);
      return {
        userId: found.id,
        mayTrade: trader.mayTrade,
        clientIdLookup: !trader.lacksClientIdLookup,
        features: found.features,
        verifications: found.verifications,
      };
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/accounts/confirm',
    summary: "Confirms a user's bank account, by its id in the profile, so that withdrawals may go there.",
    input: z.strictObject({ user: user(), id: z.int() }),
    run(context, { user: name, id }) {
      const found = userOf(context, name);
      if (found.confirmAccount(id)) return { userId: found.id, bankAccounts: found.bankAccounts };
      const known = found.bankAccounts.map((account) => account.id).join(', ');
      throw new AdminRefusal(
        `expected the id of a bank account of "${found.username}" (${known}), was ${id}`,
        404,
      );
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/cards/confirm',
    summary: "Confirms a user's bank card, by its number.",
    input: z.strictObject({ user: user(), number: z.string().min(1) }),
    run(context, { user: name, number }) {
      const found = userOf(context, name);
      if (found.confirmCard(number)) return { userId: found.id, bankCards: found.bankCards };
      const known = found.bankCards.map((card) => card.number).join(', ');
      throw new AdminRefusal(
        `expected the number of a card of "${found.username}" (${known}), was "${number}"`,
        404,
      );
    },
  }),
  adminCommand({
    method: 'POST',
    path: '/users/revoke',
    summary: "Ends one token of a user, or, without one, every token of the user's log-ins.",
    input: z.strictObject({ user: user(), token: z.string().min(1).optional() }),
    run(context, { user: name, token }) {
      const { id } = userOf(context, name);
      const { credentials } = context.simulation.exchange.services;
      const timeMs = context.tick();
      if (token === undefined) return { userId: id, revoked: credentials.revokeLogins(id) };
      if (credentials.callerOfToken(token, timeMs)?.userId !== id) {
        throw new AdminRefusal(`expected a token of the user ${id} that is still valid`);
      }
      return { userId: id, revoked: Number(credentials.revoke(token)) };
    },
  }),
  adminCommand({
    method: 'GET',
    path: '/users',
    summary: 'All users.',
    input: z.strictObject({}),
    run: (context) => ({
      users: [...context.simulation.exchange.services.users.all()].map(
        ({ id, username, level, features }) => ({
          id,
          username,
          level,
          features,
        }),
      ),
    }),
  }),
];
