import type { ApiFailure } from '../api.ts';
import { say } from '../say.ts';

/** What kept a request from being answered, in the language of the page where it is one that people meet. */
export function sayFailure({ code, message }: ApiFailure): string {
  switch (code) {
    case 'no-answer':
      return say('failure.noAnswer');
    case 'no-mirror':
      return say('failure.noMirror');
    case 'no-token':
      return say('failure.noToken');
    case 'wrong-token':
      return say('failure.wrongToken');
    case 'too-many-tries':
      return say('failure.tooManyTries');
    case 'not-allowed':
      return say('failure.notAllowed');
    case 'no-bot':
      return say('failure.noBot');
    case 'too-slow':
      return say('failure.tooSlow');
    default:
      return message;
  }
}
