import { IS_CHECKOUT } from '../plugins/own-files.ts';

/** How a person calls sarraf here: in a checkout npx finds it. */
export function programName(isCheckout: boolean = IS_CHECKOUT): string {
  return isCheckout ? 'npx sarraf' : 'sarraf';
}
