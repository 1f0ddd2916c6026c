import { conforms } from './conforms.ts';
import { blueskySubject } from './bluesky.ts';

conforms(blueskySubject);
