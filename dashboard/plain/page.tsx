import { showFrame } from '../lib/shell.tsx';

// Pages that the server sends whole have the keys, the commands and the numbers of the rail as well.
showFrame();
