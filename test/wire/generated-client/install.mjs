// Installs a generator of TypeScript clients and a linter of OpenAPI documents. Seconds when nothing changed.
import { fileURLToPath } from 'node:url';
import { install } from '../installed.mjs';

install(fileURLToPath(new URL('npm', import.meta.url)));
