import { conforms } from '../conformance/conforms.ts';
import { youtubeSubject } from '../conformance/subjects/youtube.ts';

conforms(youtubeSubject);
