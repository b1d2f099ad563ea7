"""Sentences in languages of several scripts, with what stands within prose: numbers, units, dates,
brackets, quotation marks, Latin words, addresses.

The words are of the language; a sentence means nothing. Half of them are for deciding, the other
half for reporting alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from benchmarks.page_scripts.prose import PROSE

_LATIN = {
    True: "Matlab Ubuntu error Chrome Oracle Firefox Paris theory ASCII compiler cloud"
    " Java".split(),
    False: "Rust GNU index Acrobat Maple Windows Vienna sample kernel router Intel Perl".split(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How a language is written; `fonts` are those to decide on and those to report on."""

    code: str
    english: str
    from_right: bool
    words: str
    fonts: tuple[Sequence[str], Sequence[str]]
    comma: str = ","
    stop: str = "."
    question: str = "?"
    quotes: str = '""'
    digits: str = "0123456789"
    spaced: bool = True
    marked: str = ""

    def half(self, *, decides: bool) -> list[str]:
        """The words of one half."""
        return self.words.split()[0 if decides else 1 :: 2]


LANGUAGES: Sequence[Language] = (
    Language(
        code="he",
        english="hebrew",
        from_right=True,
        fonts=(
            ("Ezra SIL", "Nachlieli CLM", "FreeSerif"),
            ("Liberation Serif", "Hadasim CLM", "Shofar"),
        ),
        words="אגם אורח ארון בוקר ביצה בעיה ברזל גבול גיל גשר דבש דגם דעה הגנה הודעה הסכם זהב"
        " זיכרון חדר חוף חייל חלב חלק טבע טיול טעם יבשה יד יער ירק כביש כוח כלי כנס כתובת לב"
        " לוח לילה לשון מבנה מגדל מדע מוזיקה מחיר מטרה מילה מנהל מספר מערכת מצב מקצוע משפט"
        " נוסע נושא ניסוי נתון סוף סיבה סיפור סכום ענף ערב פגישה פעולה פרק צבא צורה ציור"
        " קבוצה קול קיץ קצה ראש רגע רופא שאר שבוע שוק שטח שיר תוכן תנועה תקופה אל מן הוא היא"
        " זה אם לא כל עוד רמב״ם רב־שנתי",
        marked="אָדָם בַּיִת גְּבוּרָה דָּבָר חֲמִשָּׁה יְרוּשָׁלַיִם כֹּהֵן שִׁירִים",
    ),
    Language(
        code="ar",
        english="arabic",
        from_right=True,
        fonts=(
            ("KacstBook", "Lateef", "FreeSerif", "Petra"),
            ("Harmattan", "KacstOne", "Thabit", "Salem"),
        ),
        comma="،",
        question="؟",
        quotes="«»",
        digits="٠١٢٣٤٥٦٧٨٩",
        words="أب أخت أداة أساس أسبوع إدارة إذاعة اجتماع احتلال اسم اقتراح الآخر الأمم الإدارة"
        " الكلمات المؤسسة المجلس المرأة النظام الهواتف انتخاب بداية برنامج بلاد بناء تجارة"
        " تحليل ترجمة تعليم تقرير تلال ثلاثة ثمن ثورة جائزة جزء جملة جيش حجم حديث حرب حق حياة"
        " خبر خلال خوف دخول درجة دليل دواء ذهب رأس رئيس رحلة رسم زراعة زيت سؤدد سلاح سلام سوق"
        " سياسة شأن شركة شعب صحة صوت صيف ضوء طائرة طعام طفل ظروف عائلة عدد عرب علم غابة غلاف"
        " غني فئة فصل فكرة قائمة قرار قلب قوة كلام كيلومتر لغة لجنة مؤلف مبلغ مجلة محيط مخزن"
        " مستشفى مشكلة معنى مقالة ملاحظة منطقة موقع نتيجة نحو نص هيئة وجه وزارة يد هذا التي"
        " الذي كان لم لا هل ثم",
        marked="شَمْسٌ قَمَرٌ اللُّغَةُ الْعَرَبِيَّةُ إِنَّمَا أُمَّةٌ لَا كِتَابًا",
    ),
    Language(
        code="fa",
        english="persian",
        from_right=True,
        fonts=(
            ("FreeFarsi", "Titr", "Lateef"),
            ("Harmattan", "Thabit", "KacstOne"),
        ),
        comma="،",
        question="؟",
        quotes="«»",
        digits="۰۱۲۳۴۵۶۷۸۹",
        words="آزادی آغاز آینده اتاق ادبیات ارزش استان اندازه اندیشه بازار باران بخش برادر برف"
        " برنامه بهار بیمار پدر پرنده پل پنجاه پول پیام تابستان تصویر توسعه جشن جنگل جهان چاپ"
        " چشم چوب حافظه حرکت خاک خبر خواهر خون دانش داستان درس دست دوست دیوار ذهن رنگ روستا"
        " رویداد ریشه زبان زمستان زندگی ژاله ساختمان سبز سخن سرود سفر سنگ شاعر شب شکل صبح صدا"
        " صنعت طبیعت ظرف عدد عکس غذا فارسی فرزند فصل قلم کارگر کاغذ کلاغ کوتاه گربه گل گندم"
        " گوش لباس ماهی مرز مسئله مغز موسیقی میلاد نان نظر نقش نگاه نویسنده هفته هنر واژه"
        " ورزش یاد این آن به تا نه هر همه بود شد نمی‌دانم خانه‌ها رفته‌است گل‌های علاقه‌مند",  # noqa: RUF001
    ),
    Language(
        code="ur",
        english="urdu",
        from_right=True,
        fonts=(
            ("Noto Nastaliq Urdu", "Lateef", "FreeSerif"),
            ("Harmattan", "Awami Nastaliq", "FreeMono"),
        ),
        comma="،",
        stop="۔",  # noqa: RUF001
        question="؟",
        quotes="“”",
        digits="۰۱۲۳۴۵۶۷۸۹",
        words="آدمی آنکھ ابتدا ادب اردو اسکول امید انتظام اولاد بات بادل بارش بازار بچہ بزرگ بھائی"
        " بہن بیٹا پاؤں پتھر پتہ پرندہ پھول پیسہ ترقی تصویر تلاش ٹوپی ٹکٹ ثبوت جنگل جواب جھیل"
        " چاند چڑیا چہرہ حال حصہ حکم خبر خواب دفتر دل دنیا دوست دھوپ ڈبہ ڈر ذریعہ رات رنگ"
        " روشنی زبان زندگی سامان سبق سفر سوچ شاعر شام صبح صحت صفحہ ضرورت طریقہ عالم عمارت"
        " عورت غذا فرق فصل فیصلہ قدم قلم قوم کاغذ کپڑا کھیت کھیل گاڑی گاؤں گھوڑا لباس لفظ"
        " مالک محنت مدد مرد مسئلہ مشکل مقام موسم نام نتیجہ نظر نوکر ہاتھ ہفتہ ہنر واقعہ ورق"
        " یاد یہ وہ کیا تھا تھی گا گی تک بھی ہی جو تو",
    ),
    Language(
        code="hi",
        english="hindi",
        from_right=False,
        fonts=(
            ("Noto Sans Devanagari", "FreeSerif"),
            ("Noto Serif Devanagari", "FreeSans"),
        ),
        stop="।",
        quotes="“”",
        digits="०१२३४५६७८९",
        words="किताब लड़का घर शोध प्रश्न उत्तर बड़ा छोटा पहला अंतिम देश शहर सरकार क़ानून मनुष्य"
        " लोग समय वर्ष महीना दिन काम समाज संस्कृति इतिहास शिक्षा अध्यापक विद्यार्थी विश्वविद्यालय"
        " पत्र अख़बार रास्ता स्थान पानी हवा आग भूमि सूर्य चंद्रमा तारा वृक्ष फल रोटी मेज़ कुर्सी"
        " खिड़की दरवाज़ा कुंजी सड़क बाग़ आकाश समुद्र पर्वत नदी में से के की को ने पर और लेकिन बाद",
    ),
    Language(
        code="th",
        english="thai",
        from_right=False,
        spaced=False,
        fonts=(("Noto Sans Thai", "FreeSerif"), ("Noto Serif Thai", "Noto Looped Thai")),
        stop="",
        question="",
        quotes="“”",
        digits="๐๑๒๓๔๕๖๗๘๙",
        words="หนังสือ เด็ก บ้าน วิจัย คำถาม คำตอบ ใหญ่ เล็ก แรก สุดท้าย ประเทศ เมือง รัฐบาล กฎหมาย มนุษย์"
        " คน เวลา ปี เดือน วัน งาน สังคม วัฒนธรรม ประวัติศาสตร์ การศึกษา ครู นักเรียน มหาวิทยาลัย จดหมาย"
        " น้ำ อากาศ ไฟ ดิน ดวงอาทิตย์ ดาว ต้นไม้ ผลไม้ ขนมปัง โต๊ะ เก้าอี้ หน้าต่าง ประตู กุญแจ ถนน สวน",
    ),
    Language(
        code="ru",
        english="russian",
        from_right=False,
        fonts=(("DejaVu Serif", "Noto Sans"), ("FreeSerif", "Noto Serif")),
        quotes="«»",
        words="книга ребёнок дом исследование вопрос ответ большой малый первый последний страна"
        " город правительство закон человек люди время год месяц день работа общество культура"
        " история учение учитель ученик университет письмо газета дорога место вода воздух огонь"
        " земля солнце луна звезда дерево плод хлеб стол стул окно дверь ключ улица сад небо море",
    ),
)


class Writer:
    """Writes phrases of a language; the same seed writes the same ones."""

    def __init__(self, language: Language, seed: str, *, decides: bool) -> None:
        self.language = language
        self.random = Random(seed)
        self.decides = decides
        self._words = language.half(decides=decides)

    def words(self, least: int = 2, most: int = 5) -> str:
        """Some words, parted as the language does."""
        chosen = self.random.sample(self._words, self.random.randint(least, most))
        return (" " if self.language.spaced else "").join(chosen)

    def latin(self, count: int = 1) -> str:
        """Latin words."""
        return " ".join(self.random.sample(_LATIN[self.decides], count))

    def number(self, most: int = 999) -> str:
        return str(self.random.randint(11, most))

    def date(self) -> str:
        r = self.random
        return f"{r.randint(1, 28):02}/{r.randint(1, 12):02}/{r.randint(1990, 2024)}"

    def native(self, text: str) -> str:
        """The number in the digits of the script."""
        return text.translate({ord(str(n)): d for n, d in enumerate(self.language.digits)})

    def sentence(self, kind: int | None = None) -> str:
        """A sentence of one of the kinds, or of a random one."""
        kinds = self.kinds()
        made = kinds[self.random.randrange(len(kinds)) if kind is None else kind % len(kinds)]
        ends = (self.language.stop,) * 7 + (self.language.question,)
        return made() + self.random.choice(ends)

    def line(self, kind: int) -> str:
        """A phrase of one of the kinds that fits in a line."""
        kinds = self.kinds()
        return kinds[kind % len(kinds)]()

    def prose(self) -> Iterator[str]:
        """Sentences that mean something, without end."""
        prose = PROSE[self.language.code]
        sentences = prose.half(prose.sentences, decides=self.decides)
        while True:
            yield from map(self.filled, self.random.sample(sentences, len(sentences)))

    def filled(self, sentence: str) -> str:
        """The sentence with something in each of its slots."""
        r = self.random
        first = r.randint(12, 89)
        slots: dict[str, Callable[[], str]] = {
            "n": self.number,
            "k": lambda: f"{self.number(99)},{r.randint(100, 999)}",
            "f": lambda: f"{r.randint(1, 9)}.{self.number(99)}",
            "p": lambda: f"{self.number(99)}%",
            "y": lambda: str(r.randint(1950, 2024)),
            "d": self.date,
            "t": lambda: f"{r.randint(8, 21)}:{r.randint(10, 59)}",
            "r": lambda: f"{first}–{first + r.randint(1, 9)}",  # noqa: RUF001
            "c": lambda: f"[{self.number(40)}]",
            "l": lambda: self.latin(r.randint(1, 2)),
            "u": lambda: f"https://example.org/{self.latin().lower()}/{self.number(99)}",
            "e": lambda: f"{self.latin().lower()}@example.org",
            "m": lambda: f"{self.number(99)} {r.choice(('kg', 'ml', 'km'))}",
            "N": lambda: self.native(self.number(40)),
        }
        return re.sub(r"\{(\w)\}", lambda slot: slots[slot[1]](), sentence)

    def kinds(self) -> Sequence[Callable[[], str]]:
        """All kinds of sentences."""
        language, w, n = self.language, self.words, self.number
        opening, closing = language.quotes[0], language.quotes[1]
        marked = language.marked.split() or [w(1, 1)]
        return (
            lambda: w(5, 8),
            lambda: f"{w()} {n()} {w()}",
            lambda: f"{w()} {n(99)}% {w()}",
            lambda: f"{w()} ({w(2, 3)}) {w()}",
            lambda: f"{w()} {opening}{w(2, 3)}{closing} {w()}",
            lambda: f"{w()} {self.latin()} {w()}",
            lambda: f"{w()} {self.latin(2)} {w()}",
            lambda: f"{w()} {self.date()} {w()}",
            lambda: f"{w()} {self.random.randint(1990, 2024)}-05-12 {w()}",
            lambda: f"{w()} {n()}.{n(99)} {w()}",
            lambda: f"{w()} ({self.latin()}) {w()}",
            lambda: f"{w()} ({n(2000)}) {w()}",
            lambda: f"{w()}{language.comma} {w()}",
            lambda: f"{w()}: {w()}",
            lambda: f"{w()} https://example.org/{self.latin().lower()} {w()}",
            lambda: f"{w()} {n(23)}:{self.random.randint(10, 59)} {w()}",
            lambda: f"{w()} {self.latin()} {n(2000)} {w()}",
            lambda: f"{w()} [{n(40)}] {w()}",
            lambda: f"{w()} {self.native(n(2000))} {w()}",
            lambda: f"{w()} {self.random.choice(marked)} {w()}",
            lambda: f"{self.native(n(99))}. {w(3, 5)}",
            lambda: f"{w(1, 2)}/{w(1, 2)} {w()}",
            lambda: f"{w()} {n(99)},{self.random.randint(100, 999)} {w()}",
            lambda: f"{w()} {n(99)} kg {w()}",
            lambda: f"{w()} {self.latin(3)} {w()} {self.latin()} {w()}",
            lambda: f"{w()} “{self.latin()}” {w()}",
            lambda: f"{w()} – {w()}",  # noqa: RUF001
            lambda: f"{w()} {self.native(n(99))}% {w()}",
            lambda: f"({n()[:1]}) {w(3, 5)}",
            lambda: f"{w()} user@example.org {w()}",
            lambda: f"{w()} C++ {w()}",
            lambda: f"{w()} −{n(99)} {w()}",  # noqa: RUF001
        )
