"""Words in names of columns and in values that tell what a column may be."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Words apart."""
    return frozenset(text.split())


PERSONAL = words(
    "email mail phone telephone telefon tel mobile cellphone fax ssn socialsecurity sin nhs "
    "passport iban firstname lastname surname forename givenname familyname fullname middlename "
    "maidenname vorname nachname login nickname medicalrecord mrn taxid driverlicense "
    "driverslicense licenseplate licenceplate numberplate creditcard cardnumber uuid guid "
    "ipaddress macaddress streetaddress personnummer pid"
)
PERSON = words("person patient customer client user member employee student subject participant")
PERSONAL |= {person + word for person in PERSON for word in ("id", "name", "number", "no", "nr")}
NAMING = words("id identifier key name address street url ip handle")
NUMBERING = words("number no nr account code index row record serial device")
DEMOGRAPHIC = words(
    "age birth born birthday birthdate birthyear dateofbirth dob yob sex gender zip zipcode "
    "postcode postal plz city town county state region country district place location "
    "municipality latitude longitude lat lon race ethnicity nationality citizenship marital "
    "married education degree school occupation profession job employer industry workclass "
    "household children language height weight relationship admission discharge visit death "
    "arrival"
)
DELICATE = words(
    "diagnosis diagnose diagnoses disease illness condition icd symptom medication medicine drug "
    "treatment therapy procedure disability hiv cancer mental health bmi pressure cholesterol "
    "glucose pregnancy pregnant smoker smoking alcohol blood genetic income salary wage pay "
    "earning money debt loan balance wealth asset capital profit credit cost charge benefit "
    "religion religious faith belief party vote politic political union sexual orientation "
    "sexuality crime offence offense conviction criminal arrest grade score"
)
DELICATE_VALUES = words(
    "cancer diabetes hiv aids asthma depression schizophrenia dementia hypertension stroke "
    "hepatitis tuberculosis addiction pregnancy disease infection disorder syndrome christian "
    "catholic protestant orthodox muslim islam jewish judaism hindu buddhist atheist gay lesbian "
    "bisexual homosexual heterosexual republican democrat socialist conservative"
)
