import { expect, it } from 'vitest';
import { isSameLocation, type StoreLocation } from '#db/store/location.ts';

const FILE: StoreLocation = { path: '/data/rostra.db', inode: '7', born: '100' };

it.for<[what: string, here: StoreLocation, isSame: boolean]>([
  ['as it was', FILE, true],
  ['numbered anew by its mount', { ...FILE, inode: '8' }, true],
  ['a copy in its place, with the same number', { ...FILE, born: '200' }, false],
  ['in another folder', { ...FILE, path: '/other/rostra.db' }, false],
  ['of another number, where no time of birth is known', { path: FILE.path!, inode: '8' }, false],
  ['of the same number, where no time of birth is known', { path: FILE.path!, inode: '7' }, true],
  ['of a named installation, which it was not before', { ...FILE, name: 'production' }, true],
  ['in a database of PostgreSQL', { cluster: '1', database: '2' }, false],
])('a database file is %s', ([, here, isSame]) => {
  expect(isSameLocation(FILE, here)).toBe(isSame);
});
