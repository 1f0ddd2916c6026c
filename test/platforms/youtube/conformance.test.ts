import { conforms } from '../conformance/conforms.ts';
import { youtubeSubject } from '../conformance/youtube.ts';

conforms(youtubeSubject);
