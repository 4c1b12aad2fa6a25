import { z } from 'zod';

/** The address of an exchange: scheme, host and maybe a port, nothing after them. Read to its origin, such as `https://exchange.example`. */
export const address = () =>
  z.string({ error: 'expected an address such as https://exchange.example' }).transform((text, context) => {
    const url = URL.parse(text);
    const isPlain =
      url !== null &&
      url.pathname === '/' &&
      url.search === '' &&
      url.hash === '' &&
      url.username === '' &&
      url.password === '';
    if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin;
    // The text is not repeated: someone may have written a password into it.
    const message = 'expected an address of scheme and host alone, such as https://exchange.example';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** Whether what is sent to the address never leaves this machine. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
