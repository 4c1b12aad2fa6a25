import '../../page/palette.css';
import './page.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app.tsx';
import { language } from './preferences.ts';
import { loadTexts } from './translate.ts';
import { beginSession, readCode } from './session.ts';

// Removes the code of a one-time link from the address before anything else is done.
const code = readCode();

effect(() => {
  void loadTexts(language.value);
});

const root = document.querySelector('#page');
if (root !== null) render(<App />, root);

void beginSession(code);
