import type { WireHandlers } from '../handler.ts';
import { textField } from '../read-field.ts';

/**
 * Log-in. Failures are HTTP 400 with `non_field_errors` and a code. The device of an earlier log-in is taken from the body or from a header
 * `device` or `x-device`, as no document says where it goes. Source: interface, "Token scheme".
 */
export const sessionHandlers: WireHandlers<'login'> = {
  login({ exchange, input, headers, userAgent, ip, timeMs }) {
    const result = exchange.services.logIn.attempt({
      username: textField(input, 'username'),
      password: textField(input, 'password'),
      remember: textField(input, 'remember'),
      captcha: textField(input, 'captcha'),
      userAgent,
      totp: headers['x-totp'] ?? null,
      device: textField(input, 'device') ?? headers['device'] ?? headers['x-device'] ?? null,
      ip,
      timeMs,
    });
    if (!result.ok) return { status: 400, body: { non_field_errors: [result.message], code: result.code } };
    return { status: 200, body: { status: 'success', key: result.value.token, device: result.value.device } };
  },
};
