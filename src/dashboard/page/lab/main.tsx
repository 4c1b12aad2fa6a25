import '../../../page/palette.css';
import '../page.css';
import './lab.css';
import { effect } from '@preact/signals';
import { render } from 'preact';
import { language } from '../preferences.ts';
import { beginSession, readCode } from '../session.ts';
import { loadLaterTexts, loadTexts } from '../translate.ts';
import { LabApp } from './lab-app.tsx';

// Removes the code of a one-time link from the address before anything else is done.
const code = readCode();

await loadLaterTexts({
  en: async () => (await import('../texts/english-lab.ts')).ENGLISH_LAB_TEXTS,
  fa: async () => (await import('../texts/persian-lab.ts')).PERSIAN_LAB_TEXTS,
});
effect(() => {
  void loadTexts(language.value);
});

const root = document.querySelector('#page');
if (root !== null) render(<LabApp />, root);

void beginSession(code);
