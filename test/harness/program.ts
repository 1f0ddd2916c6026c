import { fileURLToPath } from 'node:url';

/** The program that processes run: the one of the sources, or a built one that the caller names. */
export const MAIN = process.env['PROGRAM_UNDER_TEST'] ?? fileURLToPath(new URL('../../src/main.ts', import.meta.url));
