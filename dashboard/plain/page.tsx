import { areKeysOn, turnKeys } from '../lib/keys.ts';
import { showFrame } from '../lib/shell.tsx';

// Pages that the server sends whole have the keys, the commands and the numbers of the rail as well.
showFrame();

// What is kept in the browser alone is set by a script alone.
const singleKeys = document.getElementById('single-keys');
const box = singleKeys?.querySelector('input');
if (singleKeys && box) {
  singleKeys.hidden = false;
  box.checked = areKeysOn();
  box.addEventListener('change', () => turnKeys(box.checked));
}
