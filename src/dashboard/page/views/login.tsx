import { useSignal } from '@preact/signals';
import { ApiFailure } from '../api.ts';
import { TextField } from '../actions/field.tsx';
import { failureMessage } from '../parts/panel.tsx';
import { LanguageButton } from '../parts/tools.tsx';
import { WithCode } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { sessionFailure, signIn } from '../session.ts';

/** Asks for a token. A link with a code leads here only if the code is used up. */
export function Login() {
  const token = useSignal('');
  const isBusy = useSignal(false);
  const failure = useSignal<ApiFailure | null>(null);
  const submit = async (): Promise<void> => {
    isBusy.value = true;
    failure.value = null;
    try {
      await signIn({ token: token.value.trim() });
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  const shown = failure.value ?? sessionFailure.value;
  return (
    <main class="login">
      <h1>
        <img src="/icon.svg" alt="" width="32" height="32" /> sarraf
      </h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <input type="text" autoComplete="username" value="sarraf" readOnly hidden />
        <TextField label={t('login.token')} name="token" typed={token} isSecret />
        <p class="note">
          <WithCode text={t('login.where')} />
        </p>
        {shown === null ? null : (
          <p class="notice bad" role="alert">
            {failureMessage(shown)}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy.value || token.value.trim() === ''}>
          {t('login.do')}
        </button>
      </form>
      <LanguageButton />
    </main>
  );
}
