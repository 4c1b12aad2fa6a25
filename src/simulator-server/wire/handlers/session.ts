import type { Refusal } from '../../../simulator/requests.ts';
import type { WireAnswer, WireHandlers } from '../handler.ts';
import { readRequest } from '../read-request.ts';

const failedLogin = ({ code, message }: Refusal): WireAnswer => ({
  status: 400,
  body: { non_field_errors: [message], code },
});

/**
 * Log-in. Failures are HTTP 400 with `non_field_errors` and a code. The device of an earlier log-in is taken
 * from the body or from a header `device` or `x-device`, as no document says where it goes. Source:
 * interface, "Token scheme".
 */
export const sessionHandlers: WireHandlers<'login'> = {
  login(call) {
    const { exchange, headers, userAgent, ip, timeMs } = call;
    const request = readRequest('login', call);
    if (!request.ok) return failedLogin(request);
    const { username, password, remember = null, captcha = null, device } = request.value;
    const result = exchange.services.logIn.attempt({
      username,
      password,
      remember,
      captcha,
      userAgent,
      totp: headers['x-totp'] ?? null,
      device: device ?? headers['device'] ?? headers['x-device'] ?? null,
      ip,
      timeMs,
    });
    if (!result.ok) return failedLogin(result);
    return { status: 200, body: { status: 'success', key: result.value.token, device: result.value.device } };
  },
};
