import { IS_CHECKOUT } from '../plugins/own-files.ts';

/** Returns the command for sarraf here: in a checkout npx finds it. */
export function programName(isCheckout: boolean = IS_CHECKOUT): string {
  return isCheckout ? 'npx sarraf' : 'sarraf';
}
