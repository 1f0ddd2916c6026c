import { areKeysOn, turnKeys } from '../lib/keys.ts';
import { render } from 'preact';
import { Copy } from '../lib/forms.tsx';
import { showFrame } from '../lib/shell.tsx';

// Pages that the server sends whole have the keys, the commands and the numbers of the rail as well.
showFrame();

// A secret that is shown once has a button that copies it.
for (const place of document.querySelectorAll<HTMLElement>('p.secret')) {
  const text = place.innerText.trim();
  place.replaceChildren();
  render(<Copy what="the secret" text={text} />, place);
}

// What is kept in the browser alone is set by a script alone.
const singleKeys = document.getElementById('single-keys');
const box = singleKeys?.querySelector('input');
if (singleKeys && box) {
  singleKeys.hidden = false;
  box.checked = areKeysOn();
  box.addEventListener('change', () => turnKeys(box.checked));
}

// What takes seconds says so.
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-busy]')) {
  form.addEventListener('submit', () => {
    const button = form.querySelector('button')!;
    button.disabled = true;
    button.textContent = form.dataset['busy']!;
  });
}
