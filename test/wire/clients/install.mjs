// Installs the public clients and what they need to run. Seconds when nothing changed.
import { fileURLToPath } from 'node:url';
import { install } from '../installed.mjs';

// Apart from the tests themselves, which must not find the clients' older libraries first. n8n-workflow names a native
// sandbox for expressions that the nodes never use: nothing has to be compiled.
install(fileURLToPath(new URL('npm', import.meta.url)));
