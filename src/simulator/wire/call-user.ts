import { invariant } from '../../domain/invariant.ts';
import type { User } from '../core/users/user.ts';
import type { WireCall } from './handler.ts';

/** The user who asks, on an endpoint that needs credentials. Throws `INVARIANT` when the gate let nobody through. */
export function callUser(call: WireCall): User {
  invariant(call.caller !== null, 'expected a caller on an endpoint that needs credentials, was none');
  return call.exchange.services.users.get(call.caller.userId);
}
