// Installs the server that speaks as S3 does. Seconds when nothing changed.
import { fileURLToPath } from 'node:url';
import { install } from '../installed.mjs';

install(fileURLToPath(new URL('npm', import.meta.url)));
