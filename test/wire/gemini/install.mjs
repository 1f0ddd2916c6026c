// Installs Gemini CLI without its optional native parts. Seconds when nothing changed.
import { fileURLToPath } from 'node:url';
import { install } from '../installed.mjs';

install(fileURLToPath(new URL('npm', import.meta.url)));
