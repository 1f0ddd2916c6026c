import { areKeysOn, turnKeys } from '../lib/keys.ts';
import { render } from 'preact';
import { Copy } from '../lib/forms.tsx';
import { showFrame } from '../lib/shell.tsx';

// Adds keys, commands and counts to pages that the server renders completely.
showFrame();

// A secret that is shown only once gets a button that copies it.
for (const place of document.querySelectorAll<HTMLElement>('p.secret')) {
  const text = place.innerText.trim();
  place.replaceChildren();
  render(<Copy what={place.dataset['what'] ?? 'the secret'} text={text} />, place);
}

// This setting is stored in the browser, so it appears only with scripts.
const singleKeys = document.getElementById('single-keys');
const box = singleKeys?.querySelector('input');
if (singleKeys && box) {
  singleKeys.hidden = false;
  box.checked = areKeysOn();
  box.addEventListener('change', () => turnKeys(box.checked));
}

// Forms that take some seconds say so on their button, until the browser shows the page again.
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-busy]')) {
  const button = form.querySelector('button')!;
  const title = button.textContent;
  const show = (isBusy: boolean) => {
    button.disabled = isBusy;
    button.textContent = isBusy ? form.dataset['busy']! : title;
  };
  form.addEventListener('submit', () => show(true));
  addEventListener('pageshow', ({ persisted }) => persisted && show(false));
}
