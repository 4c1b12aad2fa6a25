/**
 * Nothing is loaded from elsewhere, nothing inline runs, and no other page may frame it. Charts size
 * themselves through the style of elements, which this does not hinder.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * A report is a file with scripts of its own that anybody may have written: it runs in an origin of its own,
 * without cookies, and can reach nothing.
 */
const REPORT_POLICY = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const OF_ALL = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const;

/** Headers of every answer. */
export function securityHeaders(isSecure: boolean): Readonly<Record<string, string>> {
  return {
    ...OF_ALL,
    'content-security-policy': PAGE_POLICY,
    'x-frame-options': 'DENY',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

/** Those of a report, over the others. */
export const REPORT_HEADERS = {
  'content-security-policy': REPORT_POLICY,
  'x-frame-options': 'SAMEORIGIN',
} as const;
